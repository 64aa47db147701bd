package dev.perigee.link;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Puts a message together from the pieces in which it arrives, WebSocket frames and their
 * continuations. A message of one piece, the usual case, is copied once. Used by one connection's
 * reader.
 */
final class MessageAssembler {
    private static final int FIRST_BYTES = 64 * 1024;

    private final int limitBytes;
    private byte[] bytes = {};
    private int length;

    /**
     * @param limitBytes of a message; a larger one is refused
     */
    MessageAssembler(int limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * Takes a piece.
     *
     * @return the message when this was its last piece, else null
     * @throws TooLargeException when the message is larger than allowed; take no more after that
     */
    byte @Nullable [] add(ByteBuffer piece, boolean last) throws TooLargeException {
        int size = piece.remaining();
        if (size > limitBytes - length) {
            bytes = new byte[0];
            throw new TooLargeException();
        }
        int needed = length + size;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, last ? needed : room(needed));
        }
        piece.get(bytes, length, size);
        length = needed;
        if (!last) {
            return null;
        }
        byte[] message = bytes.length == length ? bytes : Arrays.copyOf(bytes, length);
        bytes = new byte[0];
        length = 0;
        return message;
    }

    private int room(int needed) {
        return Math.min(limitBytes, Math.max(FIRST_BYTES, needed * 2));
    }

    /** A message is larger than allowed. */
    static final class TooLargeException extends Exception {
        private static final long serialVersionUID = 1;

        TooLargeException() {
            super("message too large", null, false, false);
        }
    }
}
