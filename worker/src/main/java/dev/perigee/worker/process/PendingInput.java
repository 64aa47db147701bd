package dev.perigee.worker.process;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Messages that a child has not read yet, bounded in bytes. Guarded by its owner's lock. */
final class PendingInput {

    private final int limitBytes;
    private final ArrayDeque<ByteBuffer> messages = new ArrayDeque<>();
    private long bytes;

    PendingInput(int limitBytes) {
        this.limitBytes = limitBytes;
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    /** One message larger than the limit fits when nothing else is pending. */
    boolean fits(int messageBytes) {
        return messages.isEmpty() || bytes + messageBytes <= limitBytes;
    }

    /** Keeps a copy of what remains in the message. */
    void add(ByteBuffer message) {
        var copy = ByteBuffer.allocate(message.remaining()).put(message).flip();
        bytes += copy.remaining();
        messages.add(copy);
    }

    @Nullable ByteBuffer first() {
        return messages.peek();
    }

    /** Notes that the first message shrank by this much, and drops it when nothing is left. */
    void written(int count) {
        bytes -= count;
        var first = messages.peek();
        if (first != null && !first.hasRemaining()) {
            messages.poll();
        }
    }

    void clear() {
        messages.clear();
        bytes = 0;
    }
}
