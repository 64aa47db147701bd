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
 * left out, as of a client that reads slowly. All others take their bytes of their user's: where
 * there are too few a reply is an error, and a question is left out, so that its call ends when it
 * expires. Never waits but in {@link #poll}.
 */
final class MessageStream {
    static final int MOST_NOTES = 256;
    static final long MOST_BYTES = 4 << 20;

    private final BlockingQueue<Item> items = new LinkedBlockingQueue<>();
    private final AtomicInteger notes = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Places.Place counted;

    /**
     * Nothing yet.
     *
     * @param counted grows by each reply, and by each question until it is taken; its creator
     *     closes it when the response is over
     */
    MessageStream(Places.Place counted) {
        this.counted = counted;
    }

    /**
     * A message, or the end.
     *
     * @param send null at the end
     */
    record Item(@Nullable Send send) {}

    /** Adds a message, where there is room for it. */
    void add(Send send) {
        switch (send.kind()) {
            case REPLY -> items.add(new Item(counted(send)));
            case NOTE -> {
                if (mayNote(send.message().size())) {
                    items.add(new Item(send));
                }
            }
            case QUESTION, WITHDRAWAL -> {
                if (counted.grow(send.message().size())) {
                    items.add(new Item(send));
                }
            }
        }
    }

    private boolean mayNote(long size) {
        if (notes.get() >= MOST_NOTES || bytes.get() + size > MOST_BYTES) {
            return false;
        }
        notes.incrementAndGet();
        bytes.addAndGet(size);
        return true;
    }

    private Send counted(Send reply) {
        if (counted.grow(reply.message().size())) {
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
        if (send != null) {
            isTaken(send.kind(), send.message().size());
        }
        return item;
    }

    private void isTaken(Send.Kind kind, long size) {
        switch (kind) {
            case NOTE -> {
                notes.decrementAndGet();
                bytes.addAndGet(-size);
            }
            case QUESTION, WITHDRAWAL -> counted.shrink(size);
            case REPLY -> {} // Counted until the response is over.
        }
    }
}
