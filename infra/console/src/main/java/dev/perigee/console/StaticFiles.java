package dev.perigee.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of the page, read once. They hold nothing that is not in the source. */
final class StaticFiles {
    private static final List<String> NAMES =
            List.of(
                    "index.html",
                    "style.css",
                    "icon.svg",
                    "app.js",
                    "actions.js",
                    "dom.js",
                    "format.js",
                    "stream.js",
                    "login.js",
                    "fleet.js",
                    "groups.js",
                    "list.js",
                    "detail.js",
                    "timeline.js",
                    "calls.js",
                    "letters.js",
                    "alerts.js",
                    "runbooks.js",
                    "runbooks.md");

    private final Map<String, File> byName = new HashMap<>();

    /** A file as it is served. */
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    record File(String type, byte[] content) {}

    StaticFiles() {
        for (var name : NAMES) {
            byName.put(name, new File(type(name), read(name)));
        }
    }

    /** The file of a path below the console's, null when there is none. */
    @Nullable File find(String path) {
        return byName.get(path.equals("/") ? "index.html" : path.substring(1));
    }

    private static byte[] read(String name) {
        try (var stream = StaticFiles.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException("The console's file " + name + " is missing");
            }
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.'))) {
            case ".html" -> "text/html; charset=utf-8";
            case ".css" -> "text/css; charset=utf-8";
            case ".svg" -> "image/svg+xml";
            case ".md" -> "text/markdown; charset=utf-8";
            case ".js" -> "text/javascript; charset=utf-8";
            default -> throw new IllegalArgumentException(name);
        };
    }
}
