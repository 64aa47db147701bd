package dev.perigee.local.connect;

import dev.perigee.local.connect.Action.Send;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way into one HTTP response, from a session's thread to that of the response.
 * Notifications beyond {@link #MOST_NOTES} or {@link #MOST_BYTES} that were not written yet are
 * left out, as of a client that reads slowly; a reply takes its bytes of its user's, and is an
 * error where there are too few; all others are few by themselves. Never waits but in {@link
 * #poll}.
 */
final class MessageStream {
    static final int MOST_NOTES = 256;
    static final long MOST_BYTES = 4 << 20;

    private final BlockingQueue<Item> items = new LinkedBlockingQueue<>();
    private final AtomicInteger notes = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Places.Place replies;

    /**
     * Nothing yet.
     *
     * @param replies grows by each reply; whoever made it gives it back when the response is over
     */
    MessageStream(Places.Place replies) {
        this.replies = replies;
    }

    /**
     * A message, or the end.
     *
     * @param send null at the end
     */
    record Item(@Nullable Send send) {}

    /** Adds a message. */
    void add(Send send) {
        if (send.kind() == Send.Kind.NOTE) {
            long size = send.message().size();
            if (notes.get() >= MOST_NOTES || bytes.get() + size > MOST_BYTES) {
                return;
            }
            notes.incrementAndGet();
            bytes.addAndGet(size);
        }
        items.add(new Item(send.kind() == Send.Kind.REPLY ? counted(send) : send));
    }

    private Send counted(Send reply) {
        if (replies.grow(reply.message().size())) {
            return reply;
        }
        var message = "The call has ended, but too much is on its way to its user for the reply";
        var about = reply.about();
        return Send.reply(about, Messages.error(about, Messages.INTERNAL_ERROR, message));
    }

    /** Ends it behind what was added. */
    void end() {
        items.add(new Item(null));
    }

    /** The next one; null where there is none within that time. */
    @Nullable Item poll(Duration wait) throws InterruptedException {
        var item = items.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        var send = item == null ? null : item.send();
        if (send != null && send.kind() == Send.Kind.NOTE) {
            notes.decrementAndGet();
            bytes.addAndGet(-send.message().size());
        }
        return item;
    }
}
