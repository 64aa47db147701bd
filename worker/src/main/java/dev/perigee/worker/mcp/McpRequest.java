package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request in flight; the thread that sent it waits for its answer. The first of answer, failure,
 * deadline and cancellation decides how it ended.
 */
public final class McpRequest {
    private final long id;
    private final Thread waiter = Thread.currentThread();
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();
    private final AtomicBoolean taken = new AtomicBoolean();
    private final Owner owner;
    private volatile RequestDeadlines.@Nullable Deadline expiry;

    /** Sender of the request; called on the thread that ends it, must not block. */
    interface Owner {
        /** The request was cancelled: forgets it and notifies the server. */
        void cancelled(long id, boolean tellServer, String reason);

        /** What a JSON-RPC error with this message means; by default no more than that. */
        default McpException.Kind meaning(String message) {
            return McpException.Kind.SERVER_ERROR;
        }

        /** The failure of a request whose time is over. */
        default McpException expired(String message) {
            return new McpException(McpException.Kind.TIMEOUT, true, message);
        }

        /** An answer of so many bytes comes; called before the waiting caller is released. */
        default void comes(long bytes) {}

        /** That answer is dealt with. */
        default void taken(long bytes) {}

        /** The request ended, in whatever way. */
        default void ended(boolean answered) {}
    }

    private sealed interface End {}

    private record Answered(RawJson result) implements End {}

    private record Failed(McpException why) implements End {}

    McpRequest(long id, Owner owner) {
        this.id = id;
        this.owner = owner;
    }

    /** Its JSON-RPC id. */
    public long id() {
        return id;
    }

    void answer(RawJson result) {
        owner.comes(result.size());
        if (!finish(new Answered(result))) {
            owner.taken(result.size());
        }
    }

    void fail(McpException why) {
        finish(new Failed(why));
    }

    /** The server answered with a JSON-RPC error. */
    void refuse(String message, ServerError error) {
        fail(McpException.refusal(owner.meaning(message), message, error));
    }

    private boolean finish(End how) {
        if (!end.compareAndSet(null, how)) {
            return false;
        }
        LockSupport.unpark(waiter);
        owner.ended(how instanceof Answered);
        return true;
    }

    /** Whether it ended without an answer. */
    public boolean hasFailed() {
        return end.get() instanceof Failed;
    }

    /** Cancels the request from another thread; the server is notified. */
    public void cancel(String reason) {
        var why = new McpException(McpException.Kind.CANCELLED, true, reason);
        if (finish(new Failed(why))) {
            owner.cancelled(id, true, reason);
        }
    }

    /**
     * Waits for the result; only the thread that sent the request may.
     *
     * @throws McpException when there is none within the time or at all
     * @throws InterruptedException when interrupted; the request is cancelled
     */
    public RawJson await(Duration timeout) throws McpException, InterruptedException {
        return await(new Patience(timeout, () -> Duration.ZERO));
    }

    /**
     * As {@link #await(Duration)}, with a deadline that may move meanwhile.
     *
     * @param left until the deadline, asked on any thread; must not block
     */
    public RawJson await(Supplier<Duration> left) throws McpException, InterruptedException {
        return await(new Patience(left.get(), left));
    }

    private RawJson await(Patience patience) throws McpException, InterruptedException {
        End how = end.get();
        if (how == null) {
            expireAfter(patience.first, patience);
            try {
                how = awaitEnd();
            } finally {
                cancelExpiry();
            }
        }
        return switch (how) {
            case Answered(var result) -> result;
            case Failed(var why) -> throw why;
        };
    }

    /** As {@link #await}, for callers that have consumed the answer when this returns. */
    RawJson awaitAndTake(Duration timeout) throws McpException, InterruptedException {
        try {
            return await(timeout);
        } finally {
            done();
        }
    }

    /**
     * The caller has consumed the answer, if one came: its memory is released. Called when it is
     * over, however it ended; any thread.
     */
    public void done() {
        if (end.get() instanceof Answered(var result) && taken.compareAndSet(false, true)) {
            owner.taken(result.size());
        }
    }

    private End awaitEnd() throws InterruptedException {
        for (End how; ; LockSupport.park(this)) {
            how = end.get();
            if (how != null) {
                return how;
            }
            if (Thread.interrupted()) {
                cancel("The worker no longer needs the answer");
                throw new InterruptedException();
            }
        }
    }

    /** How long is waited; the thread of the deadlines asks it again when the time is over. */
    private static final class Patience {
        private final Duration first;
        private final Supplier<Duration> left;
        private final long startNanos = System.nanoTime();
        private boolean moved;

        Patience(Duration first, Supplier<Duration> left) {
            this.first = first;
            this.left = left;
        }

        Duration more() {
            var more = left.get();
            moved |= more.isPositive();
            return more;
        }

        Duration waited() {
            return moved ? Duration.ofNanos(System.nanoTime() - startNanos) : first;
        }
    }

    private void expireAfter(Duration time, Patience patience) {
        expiry = RequestDeadlines.ofAll().after(time, () -> due(patience));
        if (end.get() != null) {
            cancelExpiry(); // It ended while this was put off once more.
        }
    }

    private void cancelExpiry() {
        var pending = expiry;
        if (pending != null) {
            pending.cancel();
        }
    }

    private void due(Patience patience) {
        var more = patience.more();
        if (more.isPositive()) {
            expireAfter(more, patience);
        } else {
            timeOut(patience.waited());
        }
    }

    private void timeOut(Duration timeout) {
        var message =
                "Request timeout: no answer from the server within %d ms"
                        .formatted(TimeUnit.NANOSECONDS.toMillis(timeout.toNanos()));
        var why = owner.expired(message);
        if (finish(new Failed(why))) {
            owner.cancelled(id, why.sent(), "Request timeout");
        }
    }
}
