package dev.perigee.worker.mcp;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * End-of-response marker, put behind the last message on its way through the transport: when it
 * arrives all messages were handled. A server that writes one itself ends its own exchange.
 *
 * @param message what is before the mark in the same text
 * @param exchange the number of the exchange, null without a mark
 */
record EndMark(String message, @Nullable Long exchange) {
    /** Begins with what no trimming takes and JSON has in texts only. */
    private static final String PREFIX = "\u007fperigee-end-";

    /** The bytes that become an event of their own, or the last line of a JSON body. */
    static byte[] bytes(long exchange, boolean asEvent) {
        var text = PREFIX + exchange;
        return (asEvent ? "\n\nevent: message\ndata: " + text + "\n\n" : "\n" + text)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** The same behind half an event, of which it becomes the end: no message of its own. */
    static byte[] joined(long exchange) {
        return ("\nevent: message\ndata: " + PREFIX + exchange + "\n\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** What the transport passed on. */
    static EndMark find(String text) {
        int start = text.lastIndexOf(PREFIX);
        if (start < 0) {
            return new EndMark(text, null);
        }
        try {
            var number = text.substring(start + PREFIX.length()).strip();
            return new EndMark(text.substring(0, start).strip(), Long.valueOf(number));
        } catch (NumberFormatException e) {
            return new EndMark(text, null);
        }
    }
}
