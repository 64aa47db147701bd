package dev.perigee.worker.mcp;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Holder of the call in whose response a modern server notifies over HTTP: one at most, which the
 * next one replaces. Safe for use by any thread; nothing blocks.
 */
final class ListeningCall {
    private final AtomicReference<@Nullable HttpCall> current = new AtomicReference<>();
    private final Runnable ended;
    private final AtomicBoolean gap = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * No call yet.
     *
     * @param ended run when the response of the present call ended; not of one that was replaced
     */
    ListeningCall(Runnable ended) {
        this.ended = ended;
    }

    /**
     * The server notifies in the response to this call; null for none any more.
     *
     * @return whether the response to one before had ended, so that something may have been missed
     */
    boolean replaceBy(@Nullable HttpCall call) {
        boolean after = gap.getAndSet(false);
        var before = current.getAndSet(call);
        if (before != null) {
            before.abandon();
        }
        if (closed) {
            stop();
        } else if (call != null && call.hasEnded()) {
            hasEnded(call);
        }
        return after;
    }

    /** The response to a call ended. */
    void hasEnded(HttpCall call) {
        if (current.compareAndSet(call, null)) {
            gap.set(true);
            ended.run();
        }
    }

    /** No call is held any more, now or later. */
    void close() {
        closed = true;
        stop();
    }

    private void stop() {
        var last = current.getAndSet(null);
        if (last != null) {
            last.abandon();
        }
    }
}
