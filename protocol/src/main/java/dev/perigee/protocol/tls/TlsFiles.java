package dev.perigee.protocol.tls;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.Settings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files of one part.
 *
 * @param certificate who the part is, its own certificate first; null, as the key, where it shows
 *     none
 * @param key the certificate's private key
 * @param authorities whom the part believes; null for whom the JDK believes
 */
public record TlsFiles(
        @Nullable PemFile certificate, @Nullable PemFile key, @Nullable PemFile authorities) {

    /** A rule of a schema: what is wrong where one of a certificate and its key is missing. */
    public static @Nullable String unpaired(
            Settings settings, Setting<Path> certificate, Setting<Path> key) {
        if (settings.valueOrNull(certificate) != null && settings.valueOrNull(key) == null) {
            return certificate + " is set and " + key + " is not: set both";
        }
        if (settings.valueOrNull(certificate) == null && settings.valueOrNull(key) != null) {
            return key + " is set and " + certificate + " is not: set both";
        }
        return null;
    }

    TlsContents read() throws TlsFileException {
        return new TlsContents(read(certificate), read(key), read(authorities));
    }

    private static byte @Nullable [] read(@Nullable PemFile file) throws TlsFileException {
        return file == null ? null : file.read();
    }
}
