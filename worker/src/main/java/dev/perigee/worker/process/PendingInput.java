package dev.perigee.worker.process;

import dev.perigee.protocol.limit.BudgetShare;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Messages that a child has not read yet, bounded in bytes, and with those of all other children by
 * a budget. Guarded by its owner's lock.
 */
final class PendingInput {

    /** What a pipe takes is never refused. */
    private static final int ALLOWANCE_BYTES = 64 << 10;

    private final int limitBytes;
    private final BudgetShare share;
    private final ArrayDeque<ByteBuffer> messages = new ArrayDeque<>();
    private long bytes;

    PendingInput(LauncherOptions options) {
        this.limitBytes = options.stdinBufferBytes();
        this.share = new BudgetShare(options.unread(), ALLOWANCE_BYTES);
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    /** One message larger than the limit fits when nothing else is pending. */
    boolean fits(int messageBytes) {
        return messages.isEmpty() || bytes + messageBytes <= limitBytes;
    }

    /**
     * @throws IOException when all children together leave no room for a message
     */
    void requireRoom(int messageBytes) throws IOException {
        if (!share.fits(messageBytes)) {
            throw new IOException(
                    "The worker keeps as much for servers that do not read as process.input-memory"
                            + " allows: nothing was sent");
        }
    }

    /** Keeps a copy of what remains in the message. */
    void add(ByteBuffer message) {
        var copy = ByteBuffer.allocate(message.remaining()).put(message).flip();
        bytes += copy.remaining();
        share.take(copy.remaining());
        messages.add(copy);
    }

    @Nullable ByteBuffer first() {
        return messages.peek();
    }

    /** Notes that the first message shrank by this much, and drops it when nothing is left. */
    void written(int count) {
        var first = messages.peek();
        if (first == null) {
            return; // Dropped meanwhile.
        }
        bytes -= count;
        share.give(count);
        if (!first.hasRemaining()) {
            messages.poll();
        }
    }

    void clear() {
        messages.clear();
        bytes = 0;
        share.giveAll();
    }
}
