package dev.perigee.protocol.tool;

import dev.perigee.protocol.json.InvalidRecordException;
import org.jspecify.annotations.Nullable;

/**
 * A server's slug and what is asked of it. {@code slug:tool} is split at the first colon and {@code
 * slug|uri} at the first bar, whichever comes first, so tool names may contain colons and URIs
 * both.
 *
 * @param serverSlug the slug of the server, never empty
 * @param name the tool, prompt or URI; null where the path is a bare slug
 */
public record ToolPath(String serverSlug, @Nullable String name) {
    /**
     * Splits a path.
     *
     * @throws InvalidRecordException when the slug or the name is empty
     */
    public static ToolPath parse(@Nullable String path) {
        if (path == null || path.isBlank()) {
            throw InvalidRecordException.invalid("field tool_path is missing");
        }
        int at = separator(path);
        if (at < 0) {
            return new ToolPath(path, null);
        }
        if (at == 0 || at == path.length() - 1) {
            throw InvalidRecordException.invalid("field tool_path is not {server_slug}:{tool}");
        }
        return new ToolPath(path.substring(0, at), path.substring(at + 1));
    }

    /** The path of a server's tool. */
    public static String of(String serverSlug, String tool) {
        return serverSlug + ":" + tool;
    }

    private static int separator(String path) {
        int colon = path.indexOf(':');
        int bar = path.indexOf('|');
        if (colon < 0 || bar < 0) {
            return Math.max(colon, bar);
        }
        return Math.min(colon, bar);
    }
}
