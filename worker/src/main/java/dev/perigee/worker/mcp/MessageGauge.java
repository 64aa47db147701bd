package dev.perigee.worker.mcp;

import java.nio.ByteBuffer;

/**
 * Measures the messages of a response as they arrive: a JSON body is one, an event stream has one
 * between two empty lines. Used by one thread at a time.
 */
final class MessageGauge {
    private final boolean events;
    private final int maxBytes;
    private long bytes;
    private boolean atLineStart = true;

    MessageGauge(boolean events, int maxBytes) {
        this.events = events;
        this.maxBytes = maxBytes;
    }

    /** How many bytes of a message have come that is not whole yet. */
    long bytes() {
        return bytes;
    }

    int maxBytes() {
        return maxBytes;
    }

    boolean measuresEvents() {
        return events;
    }

    /** Leaves the buffer as it is; false when the message is too large. */
    boolean accepts(ByteBuffer buffer) {
        if (!events) {
            bytes += buffer.remaining();
            return bytes <= maxBytes;
        }
        for (int i = buffer.position(); i < buffer.limit(); i++) {
            byte character = buffer.get(i);
            bytes++;
            if (character == '\n') {
                bytes = atLineStart ? 0 : bytes;
                atLineStart = true;
            } else if (character != '\r') {
                atLineStart = false;
            }
            if (bytes > maxBytes) {
                return false;
            }
        }
        return true;
    }
}
