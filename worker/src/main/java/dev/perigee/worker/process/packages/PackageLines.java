package dev.perigee.worker.process.packages;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Command lines of the package managers that are known. */
final class PackageLines {
    private PackageLines() {}

    /**
     * Reads a command line; null when it is anything else or cannot be told with certainty, so that
     * it is to run as it is written.
     */
    static @Nullable PackageLine parse(List<String> command) {
        var words = command.subList(1, command.size());
        return switch (command.getFirst()) {
            case "npx" -> NpxLine.parse(words);
            case "uvx" -> UvxLine.parse(words);
            default -> null;
        };
    }
}
