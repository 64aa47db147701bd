package dev.perigee.local.recording;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads lines of at most {@link #MOST_BYTES}. For one thread. */
public final class RecordingLines implements AutoCloseable {
    /** A topic's largest record, as text, with what is around it. */
    static final int MOST_BYTES = 64 << 20;

    private final InputStream input;
    private final byte[] buffer = new byte[64 << 10];
    private int at;
    private int end;

    /** A line that no recording has. */
    public static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    public RecordingLines(InputStream input) {
        this.input = input;
    }

    /** The next line without its end; null behind the last. What has no end is no line. */
    public byte @Nullable [] next() throws IOException {
        var line = new ByteArrayOutputStream(512);
        while (true) {
            if (at == end) {
                end = input.read(buffer);
                at = 0;
                if (end < 0) {
                    end = 0;
                    return null;
                }
            }
            int from = at;
            while (at < end && buffer[at] != '\n') {
                at++;
            }
            line.write(buffer, from, at - from);
            if (line.size() > MOST_BYTES) {
                throw new TooLongException();
            }
            if (at < end) {
                at++;
                return line.toByteArray();
            }
        }
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
