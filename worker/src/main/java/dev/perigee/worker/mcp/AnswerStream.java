package dev.perigee.worker.mcp;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Connection of a session's transport: over SSE the one stream in which all answers come, whose end
 * fails the calls that wait for one; over streamable HTTP nothing. Safe for use by any thread.
 */
final class AnswerStream {
    private static final long RECEIPT_NANOS = Duration.ofSeconds(1).toNanos();

    private final Set<HttpCall> calls;
    private final BiConsumer<HttpCall, McpException> failing;
    private final CompletableFuture<Void> connected = new CompletableFuture<>();

    /** Calls that the server has received, whose answers come in the stream. */
    private final Set<HttpCall> posted = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Exchange exchange;
    private volatile @Nullable McpException end;

    /**
     * A stream that is not open.
     *
     * @param calls all that the session has at a time
     * @param failing fails one of them, where it has not ended
     */
    AnswerStream(Set<HttpCall> calls, BiConsumer<HttpCall, McpException> failing) {
        this.calls = calls;
        this.failing = failing;
    }

    /** Connects; blocks until the connection is up or the deadline has passed. */
    void connect(Mono<Void> connection, long deadlineNanos)
            throws McpException, InterruptedException {
        connection.subscribe(
                _ -> {}, connected::completeExceptionally, () -> connected.complete(null));
        try {
            connected.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw HttpFailures.notConnected();
        } catch (ExecutionException e) {
            throw HttpFailures.broken(e, false, false);
        }
    }

    /** The stream begins. */
    void opened(Exchange itsExchange) {
        exchange = itsExchange;
    }

    /** The server has received the call: the answer comes in the stream, or not at all. */
    void awaits(HttpCall call) {
        posted.add(call);
        failPosted();
    }

    void forget(HttpCall call) {
        posted.remove(call);
    }

    /** The stream ended: fails the posted calls now, those still being posted after a second. */
    void ended(McpException why) {
        end = why;
        connected.completeExceptionally(why);
        failPosted();
        CompletableFuture.delayedExecutor(RECEIPT_NANOS, TimeUnit.NANOSECONDS)
                .execute(() -> calls.forEach(call -> failing.accept(call, why)));
    }

    private void failPosted() {
        var why = end;
        if (why != null) {
            posted.forEach(call -> failing.accept(call, why));
        }
    }

    /** Cancels the stream's exchange. */
    void abandon() {
        var open = exchange;
        if (open != null) {
            open.abandon();
        }
    }
}
