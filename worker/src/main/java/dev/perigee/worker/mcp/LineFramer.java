package dev.perigee.worker.mcp;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts a stream into newline-delimited messages, however its chunks fall. A message that arrives
 * within one chunk is copied once. One that is longer than the limit, or given up, is skipped to
 * its end; its first and last bytes are passed on, so that the caller that waits for it can be
 * released. Not thread-safe.
 */
final class LineFramer {
    /** How much is kept of each end of a message that is too long, in bytes. */
    static final int EDGE_BYTES = 256;

    private static final int FIRST_BUFFER_BYTES = 4096;

    private final int maxBytes;
    private final Sink sink;
    private byte[] buffer = new byte[0];
    private int size;
    private boolean skipping;
    private boolean givenUp;
    private long skipped;
    private byte[] head = new byte[0];

    /** Takes messages, on the thread that feeds the framer. */
    interface Sink {
        /** A message without its newline; never empty. */
        void line(byte[] line);

        /** A message of this size was skipped. */
        void tooLong(long sizeBytes, byte[] head, byte[] tail);

        /** A message of this size was skipped since it was {@link #giveUp given up}. */
        void givenUp(long sizeBytes, byte[] head, byte[] tail);
    }

    LineFramer(int maxBytes, Sink sink) {
        this.maxBytes = maxBytes;
        this.sink = sink;
    }

    void accept(ByteBuffer chunk) {
        while (chunk.hasRemaining()) {
            int end = indexOfNewline(chunk);
            int length = (end < 0 ? chunk.limit() : end) - chunk.position();
            if (end >= 0 && size == 0 && !skipping && length <= maxBytes) {
                var line = new byte[length];
                chunk.get(line);
                emit(line);
            } else {
                append(chunk, length);
                if (end >= 0) {
                    finish();
                }
            }
            if (end >= 0) {
                chunk.get();
            }
        }
    }

    /** How many bytes the message takes of which the end did not come yet. */
    int keptBytes() {
        return size == 0 || skipping ? 0 : buffer.length;
    }

    /** Skips the message that has begun, if any; returns its first bytes. */
    byte[] giveUp() {
        if (!skipping && size > 0) {
            givenUp = true;
            skipFrom(Arrays.copyOf(buffer, Math.min(size, EDGE_BYTES)));
        }
        return head;
    }

    private static int indexOfNewline(ByteBuffer chunk) {
        for (int i = chunk.position(); i < chunk.limit(); i++) {
            if (chunk.get(i) == '\n') {
                return i;
            }
        }
        return -1;
    }

    private void append(ByteBuffer chunk, int length) {
        if (!skipping && (long) size + length > maxBytes) {
            skipFrom(firstBytes(chunk, length));
        }
        if (skipping) {
            skip(chunk, length);
            return;
        }
        if (buffer.length < size + length) {
            // Not twice: what many servers read before they are stopped adds up.
            long larger = Math.max(FIRST_BUFFER_BYTES, buffer.length + buffer.length / 2L);
            long wanted = Math.max(size + (long) length, Math.min(larger, maxBytes));
            buffer = Arrays.copyOf(buffer, Math.toIntExact(wanted));
        }
        chunk.get(buffer, size, length);
        size += length;
    }

    private void skipFrom(byte[] firstBytes) {
        head = firstBytes;
        skipping = true;
        skipped = size;
        buffer = Arrays.copyOfRange(buffer, Math.max(0, size - EDGE_BYTES), size);
        size = buffer.length;
    }

    private byte[] firstBytes(ByteBuffer chunk, int length) {
        if (size >= EDGE_BYTES) {
            return Arrays.copyOf(buffer, EDGE_BYTES);
        }
        int more = Math.min(length, EDGE_BYTES - size);
        var first = Arrays.copyOf(buffer, size + more);
        chunk.get(chunk.position(), first, size, more);
        return first;
    }

    /** Keeps only the last bytes, in {@code buffer}. */
    private void skip(ByteBuffer chunk, int length) {
        skipped += length;
        int fresh = Math.min(length, EDGE_BYTES);
        int old = Math.min(size, EDGE_BYTES - fresh);
        var tail = new byte[old + fresh];
        System.arraycopy(buffer, size - old, tail, 0, old);
        chunk.get(chunk.position() + length - fresh, tail, old, fresh);
        chunk.position(chunk.position() + length);
        buffer = tail;
        size = tail.length;
    }

    private void finish() {
        if (skipping) {
            var tail = Arrays.copyOf(buffer, size);
            if (givenUp) {
                sink.givenUp(skipped, head, tail);
            } else {
                sink.tooLong(skipped, head, tail);
            }
            skipping = false;
            givenUp = false;
            head = new byte[0];
        } else {
            emit(Arrays.copyOf(buffer, size));
        }
        size = 0;
        if (buffer.length > FIRST_BUFFER_BYTES) {
            buffer = new byte[0];
        }
    }

    private void emit(byte[] line) {
        int length = line.length;
        if (length > 0 && line[length - 1] == '\r') {
            line = Arrays.copyOf(line, length - 1);
        }
        if (line.length > 0) {
            sink.line(line);
        }
    }
}
