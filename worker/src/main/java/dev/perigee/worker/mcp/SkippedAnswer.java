package dev.perigee.worker.mcp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the id of an answer that was too long to keep, or cannot be read, where servers put it: in
 * front of the result or at the very end. What looks like an id inside the result is not taken for
 * one.
 */
final class SkippedAnswer {
    private static final Pattern IN_FRONT =
            Pattern.compile(
                    "^\\s*\\{\\s*(?:\"jsonrpc\"\\s*:\\s*\"2\\.0\"\\s*,\\s*)?\"id\"\\s*:\\s*(\\d{1,18})\\s*,");
    private static final Pattern AT_THE_END =
            Pattern.compile(
                    "\"id\"\\s*:\\s*(\\d{1,18})\\s*(?:,\\s*\"jsonrpc\"\\s*:\\s*\"2\\.0\"\\s*)?\\}\\s*$");

    private static final Pattern PROTOCOL = Pattern.compile("\"jsonrpc\"\\s*:\\s*\"2\\.0\"");

    private SkippedAnswer() {}

    /** The id of a whole line that names the protocol; anything may be wrong between its ends. */
    static @Nullable Long id(byte[] line) {
        int edge = Math.min(line.length, LineFramer.EDGE_BYTES);
        var head = Arrays.copyOf(line, edge);
        var tail = Arrays.copyOfRange(line, line.length - edge, line.length);
        return namesProtocol(head) || namesProtocol(tail) ? id(head, tail) : null;
    }

    private static boolean namesProtocol(byte[] edge) {
        return PROTOCOL.matcher(new String(edge, StandardCharsets.ISO_8859_1)).find();
    }

    static @Nullable Long id(byte[] head, byte[] tail) {
        var front = IN_FRONT.matcher(new String(head, StandardCharsets.ISO_8859_1));
        if (front.find()) {
            return Long.valueOf(front.group(1));
        }
        var end = AT_THE_END.matcher(new String(tail, StandardCharsets.ISO_8859_1));
        return end.find() ? Long.valueOf(end.group(1)) : null;
    }
}
