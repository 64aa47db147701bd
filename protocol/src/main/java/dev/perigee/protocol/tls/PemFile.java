package dev.perigee.protocol.tls;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A PEM file.
 *
 * @param key the configuration key that names it
 * @param path where it is; read anew at each use
 */
public record PemFile(String key, Path path) {

    /** The file that a setting names, null where it names none. */
    public static @Nullable PemFile of(Settings settings, Setting<Path> setting) {
        var path = settings.valueOrNull(setting);
        return path == null ? null : new PemFile(setting.key(), path);
    }

    byte[] read() throws TlsFileException {
        try {
            return Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            throw problem("does not exist: name a file in PEM form");
        } catch (IOException e) {
            throw problem("cannot be read: let this user read it");
        }
    }

    TlsFileException problem(String what) {
        return new TlsFileException("%s: the file %s %s".formatted(key, path, what));
    }
}
