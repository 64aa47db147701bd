package dev.perigee.local.connect;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reader of lines, each of so many bytes at most; of a longer one only that it was there. For one
 * thread; blocks for the stream.
 */
final class LineReader {
    private static final int BLOCK_BYTES = 64 << 10;

    private final InputStream in;
    private final int mostBytes;
    private final byte[] block = new byte[BLOCK_BYTES];
    private int at;
    private int end;

    /**
     * A line without its end.
     *
     * @param bytes null of a line that was too long
     */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares lines.
    record Line(byte @Nullable [] bytes) {
        /** Whether it has nothing but white space. */
        boolean isBlank() {
            if (bytes == null) {
                return false;
            }
            for (byte each : bytes) {
                if (each != ' ' && each != '\t' && each != '\r') {
                    return false;
                }
            }
            return true;
        }
    }

    LineReader(InputStream in, int mostBytes) {
        this.in = in;
        this.mostBytes = mostBytes;
    }

    /** The next line, null at the end of the stream. */
    @Nullable Line next() throws IOException {
        var line = new ByteArrayOutputStream();
        boolean tooLong = false;
        boolean any = false;
        while (at < end || fill()) {
            any = true;
            int from = at;
            while (at < end && block[at] != '\n') {
                at++;
            }
            int length = at - from;
            if (line.size() + length > mostBytes) {
                tooLong = true;
                line.reset();
            } else if (!tooLong) {
                line.write(block, from, length);
            }
            if (at < end) {
                at++;
                return new Line(tooLong ? null : line.toByteArray());
            }
        }
        return any ? new Line(tooLong ? null : line.toByteArray()) : null;
    }

    private boolean fill() throws IOException {
        at = 0;
        end = Math.max(0, in.read(block));
        return end > 0;
    }
}
