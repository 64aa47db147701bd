package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A client's requests that wait for their answers, by id. Ids are positive and never used twice. A
 * request leaves with its answer, its failure or its cancellation, whichever is first. Safe for use
 * by any thread.
 */
final class InFlight {
    private final ConcurrentHashMap<Long, McpRequest> pending = new ConcurrentHashMap<>();
    private final AtomicLong lastId = new AtomicLong();
    private final ServerMetrics metrics;

    InFlight(ServerMetrics metrics) {
        this.metrics = metrics;
    }

    /** A new request of the calling thread. */
    McpRequest open(McpRequest.Owner owner) {
        var request = new McpRequest(lastId.incrementAndGet(), owner);
        pending.put(request.id(), request);
        return request;
    }

    /** The id of a request that nobody waits for. */
    long unawaited() {
        return lastId.incrementAndGet();
    }

    /** The server was sent a request. */
    void sent() {
        metrics.sent();
    }

    /** The request was cancelled or could not be sent; its waiter knows. */
    void drop(long id) {
        pending.remove(id);
        metrics.failed();
    }

    /** False when no caller waits for this answer. */
    boolean answer(long id, RawJson result) {
        var request = pending.remove(id);
        if (request == null) {
            return false;
        }
        metrics.answered();
        request.answer(result);
        return true;
    }

    /** The server answered with a JSON-RPC error; false when no one waits for it. */
    boolean refuse(McpMessage.Refusal refusal) {
        var request = pending.remove(refusal.id());
        if (request == null) {
            return false;
        }
        metrics.answered();
        request.refuse(refusal.message(), refusal.error());
        return true;
    }

    /** The server answered, with something that is no result; false when no caller waits for it. */
    boolean refuse(@Nullable Long id, McpException.Kind kind, String message) {
        var request = id == null ? null : pending.remove(id);
        if (request == null) {
            return false;
        }
        metrics.answered();
        request.fail(new McpException(kind, true, message));
        return true;
    }

    /** There will be no answer; false when no caller waits for one. */
    boolean fail(long id, McpException why) {
        var request = pending.remove(id);
        if (request == null) {
            return false;
        }
        metrics.failed();
        request.fail(why);
        return true;
    }

    /** There will be no answers any more. */
    void failAll(McpException why) {
        for (var id : new ArrayList<>(pending.keySet())) {
            fail(id, why);
        }
    }
}
