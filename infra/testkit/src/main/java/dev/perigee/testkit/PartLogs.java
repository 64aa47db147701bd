package dev.perigee.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Directory of the logs of one fleet's parts, a file each. It is kept, below the build's own
 * directory where there is one, until the build cleans up.
 */
record PartLogs(Path directory) {
    private static final int LAST_LINES = 15;
    private static final int LINE_LENGTH = 500;

    /** A new directory of Maven's or Gradle's, or else a temporary one. */
    static PartLogs create() throws IOException {
        for (var build : List.of("target", "build")) {
            if (Files.isDirectory(Path.of(build))) {
                var all = Files.createDirectories(Path.of(build, "perigee"));
                return new PartLogs(Files.createTempDirectory(all, "fleet-"));
            }
        }
        return new PartLogs(Files.createTempDirectory("perigee-fleet-"));
    }

    /** The last lines of each log that has any, or that there are none. */
    String lastWords() {
        try (var files = Files.list(directory)) {
            var words =
                    files.sorted()
                            .map(PartLogs::lastWords)
                            .filter(text -> !text.isEmpty())
                            .collect(Collectors.joining("\n"));
            return words.isEmpty() ? "No part has written to its log in " + directory : words;
        } catch (IOException e) {
            return "The logs in " + directory + " cannot be read: " + e;
        }
    }

    private static String lastWords(Path log) {
        var last = new ArrayDeque<String>();
        try (var lines = Files.lines(log)) {
            lines.filter(line -> !line.isBlank())
                    .forEach(
                            line -> {
                                last.add(line.substring(0, Math.min(LINE_LENGTH, line.length())));
                                if (last.size() > LAST_LINES) {
                                    last.removeFirst();
                                }
                            });
            return last.isEmpty() ? "" : log + ":\n  " + String.join("\n  ", last);
        } catch (IOException | UncheckedIOException e) {
            return log + ": " + e;
        }
    }
}
