package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the token for a part's admin pages; never on the command line, where others see it. */
final class AdminToken {
    private AdminToken() {}

    /** The file's content where there is a file, else the text; null where there is neither. */
    static @Nullable String of(@Nullable Path file, @Nullable String text) {
        if (file == null) {
            return text == null || text.isBlank() ? null : text.strip();
        }
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw CliException.usage("--token-file " + file + " cannot be read");
        }
    }
}
