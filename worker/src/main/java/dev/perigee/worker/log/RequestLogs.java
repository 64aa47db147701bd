package dev.perigee.worker.log;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.RequestLog;
import dev.perigee.protocol.json.RawJson;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Batches what calls of one instance were made and answered. Parameters and responses beyond the
 * configured size are replaced by their size. Safe for use by any thread; the sink must not block.
 */
public final class RequestLogs {
    private final TimedBatch<RequestLog> batch;
    private final int maxPayloadBytes;

    /** Batches whose events go to the sink. */
    public RequestLogs(
            LogOptions options, ScheduledExecutorService timers, Consumer<EventBody> sink) {
        this.maxPayloadBytes = options.maxPayloadBytes();
        this.batch =
                new TimedBatch<>(
                        new ReentrantLock(),
                        options.batchEntries(),
                        options.batchInterval(),
                        timers,
                        calls -> sink.accept(new EventBody.RequestLogs(calls)));
    }

    /** A call that was answered. */
    public void add(RequestLog call) {
        batch.add(
                new RequestLog(
                        call.userId(),
                        call.toolName(),
                        bounded(call.toolParams()),
                        bounded(call.toolResponse()),
                        call.responseTimeMs(),
                        call.success(),
                        call.errorMessage(),
                        call.timestamp()));
    }

    /** Sends what there is at once. */
    public void flush() {
        batch.flush();
    }

    private @Nullable RawJson bounded(@Nullable RawJson payload) {
        if (payload == null || payload.size() <= maxPayloadBytes) {
            return payload;
        }
        return RawJson.of("{\"omitted_bytes\":" + payload.size() + "}");
    }
}
