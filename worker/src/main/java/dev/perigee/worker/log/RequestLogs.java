package dev.perigee.worker.log;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.RequestLog;
import dev.perigee.protocol.json.RawJson;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Batches the request log of one instance. Parameters and responses are replaced by their shapes
 * unless their values are asked for, and beyond the configured size by their size. Safe for use by
 * any thread; the sink must not block.
 */
public final class RequestLogs {
    private static final String UNSEARCHED = "(not shown beside parameters of this size)";

    private final TimedBatch<RequestLog> batch;
    private final int maxPayloadBytes;
    private final boolean valuesByDefault;

    /** Batches whose events go to the sink. */
    public RequestLogs(
            LogOptions options, ScheduledExecutorService timers, Consumer<EventBody> sink) {
        this.maxPayloadBytes = options.maxPayloadBytes();
        this.valuesByDefault = options.requestValues();
        this.batch =
                new TimedBatch<>(
                        new ReentrantLock(),
                        options.batchEntries(),
                        options.batchInterval(),
                        timers,
                        calls -> sink.accept(new EventBody.RequestLogs(calls)));
    }

    /**
     * A call that was answered.
     *
     * @param values whether its installation asks for values; null where it does not say
     */
    public void add(RequestLog call, @Nullable Boolean values) {
        boolean shapes = !(values == null ? valuesByDefault : values);
        batch.add(
                new RequestLog(
                        call.userId(),
                        call.toolName(),
                        bounded(call.toolParams(), shapes),
                        bounded(call.toolResponse(), shapes),
                        call.responseTimeMs(),
                        call.success(),
                        shapes ? errorOf(call) : call.errorMessage(),
                        call.timestamp()));
    }

    /** Sends what there is at once. */
    public void flush() {
        batch.flush();
    }

    private @Nullable RawJson bounded(@Nullable RawJson payload, boolean shape) {
        if (payload == null) {
            return null;
        }
        if (payload.size() > maxPayloadBytes) {
            return RawJson.of("{\"omitted_bytes\":" + payload.size() + "}");
        }
        return shape ? PayloadShape.of(payload) : payload;
    }

    /** Servers repeat parameters in their errors. */
    private @Nullable String errorOf(RequestLog call) {
        var params = call.toolParams();
        var message = call.errorMessage();
        if (message == null) {
            return null;
        }
        return params != null && params.size() > maxPayloadBytes
                ? UNSEARCHED
                : PayloadShape.hide(message, params);
    }
}
