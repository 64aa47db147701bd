package dev.perigee.worker.process;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** One output stream of a child, used by the loop's thread only. */
final class NativeStream {

    /** A pipe holds at most this much unless its owner is privileged. */
    private static final int LARGEST_PIPE_BYTES = 1 << 20;

    /** How long one child's output may hold up the others' per turn, about. */
    private static final long TURN_NANOS = 2_000_000;

    private static final int SMALLEST_CHUNK_BYTES = 256;
    private static final int CLOSED = -1;

    private final NativeLoop loop;
    private final long key;
    private final Consumer<ByteBuffer> sink;
    private int file;
    private int chunkBytes = NativeLoop.BUFFER_BYTES;
    private boolean watched;

    NativeStream(NativeLoop loop, int file, long key, Consumer<ByteBuffer> sink) {
        this.loop = loop;
        this.file = file;
        this.key = key;
        this.sink = sink;
    }

    boolean open() {
        return file != CLOSED;
    }

    /** A stream that is not watched is taken out of the poller, which tells ends unasked. */
    void watch(boolean wanted) {
        if (file == CLOSED || wanted == watched) {
            return;
        }
        watched = wanted;
        if (wanted) {
            loop.poller().watchReadable(file, key);
        } else {
            loop.poller().forget(file);
        }
    }

    /** Reads once, or closes at the end; returns how many bytes there were. */
    int read() {
        if (file == CLOSED) {
            return 0;
        }
        var count = loop.read(file, chunkBytes);
        if (count > 0) {
            var began = System.nanoTime();
            sink.accept(loop.bytes(count));
            adapt(System.nanoTime() - began);
            return count;
        }
        if (count != -Errno.TRY_AGAIN && count != -Errno.INTERRUPTED) {
            close();
        }
        return 0;
    }

    /** Output that costs much, such as garbage in tiny lines, is taken in smaller bites. */
    private void adapt(long tookNanos) {
        if (tookNanos > TURN_NANOS) {
            chunkBytes = Math.max(chunkBytes / 2, SMALLEST_CHUNK_BYTES);
        } else if (tookNanos < TURN_NANOS / 4) {
            chunkBytes = Math.min(chunkBytes * 2, NativeLoop.BUFFER_BYTES);
        }
    }

    /**
     * Reads what a pipe can hold at most, so that a writer that never stops cannot hold the loop.
     */
    void drain() {
        for (var left = LARGEST_PIPE_BYTES; left > 0 && watched; ) {
            var count = read();
            left = count == 0 ? 0 : left - count;
        }
    }

    void close() {
        if (file != CLOSED) {
            watch(false);
            loop.closeFile(file);
            file = CLOSED;
        }
    }
}
