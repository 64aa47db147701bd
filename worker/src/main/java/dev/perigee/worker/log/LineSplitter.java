package dev.perigee.worker.log;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Cuts a stream of bytes into lines of text, however its chunks fall: several lines in one chunk, a
 * line or a character over several. Blank lines are dropped; a line longer than the limit is cut at
 * a character and ends in an ellipsis, within the limit. Not thread-safe.
 */
public final class LineSplitter {
    private static final String ELLIPSIS = "…";
    private static final int ELLIPSIS_BYTES = 3;

    private final int maxLineBytes;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream(128);
    private boolean cut;

    /** Lines of at most this many bytes. */
    public LineSplitter(int maxLineBytes) {
        if (maxLineBytes <= ELLIPSIS_BYTES) {
            throw new IllegalArgumentException("a line needs room for more than its ellipsis");
        }
        this.maxLineBytes = maxLineBytes;
    }

    /** Takes a chunk and hands over the lines that it completes. */
    public void accept(ByteBuffer chunk, Consumer<String> lines) {
        while (chunk.hasRemaining()) {
            byte next = chunk.get();
            if (next == '\n') {
                finish(lines);
            } else if (line.size() < maxLineBytes) {
                line.write(next);
            } else {
                cut = true;
            }
        }
    }

    /** Hands over what is left of a line without an end. */
    public void finish(Consumer<String> lines) {
        var text = text();
        line.reset();
        cut = false;
        if (!text.isBlank()) {
            lines.accept(text.stripTrailing());
        }
    }

    private String text() {
        var bytes = line.toByteArray();
        if (!cut) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        int end = maxLineBytes - ELLIPSIS_BYTES;
        while (end > 0 && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + ELLIPSIS;
    }
}
