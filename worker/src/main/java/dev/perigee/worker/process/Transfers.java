package dev.perigee.worker.process;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Copies heap bytes into native memory for write(2). A few buffers are kept for reuse; who finds
 * none makes one more, so no caller waits here.
 */
final class Transfers {

    private static final int KEPT = 8;
    private static final int BUFFER_BYTES = 1 << 16;

    private record Transfer(NativeCalls calls, MemorySegment memory, ByteBuffer bytes) {}

    private final ArrayBlockingQueue<Transfer> free = new ArrayBlockingQueue<>(KEPT);

    /** Writes one buffer's worth at most; advances the message by what was taken. */
    long write(int file, ByteBuffer message) {
        var kept = free.poll();
        var transfer = kept == null ? create() : kept;
        try {
            var count = Math.min(message.remaining(), BUFFER_BYTES);
            transfer.bytes.clear().put(0, message, message.position(), count);
            var written = transfer.calls.write(file, transfer.memory, count);
            if (written > 0) {
                message.position(message.position() + (int) written);
            }
            return written;
        } finally {
            free.offer(transfer);
        }
    }

    private static Transfer create() {
        var memory = Arena.ofAuto().allocate(BUFFER_BYTES);
        return new Transfer(new NativeCalls(), memory, memory.asByteBuffer());
    }
}
