package dev.perigee.worker.instance;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.LogLevel;
import dev.perigee.worker.log.LogRateLimit;
import dev.perigee.worker.log.ServerMessage;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Progress and messages of one server, on their way to the calls that accept them: progress by its
 * token, a message to each such call, since it names none. Of what a server says for calls a second
 * has {@link #PER_SECOND} events of each kind at most, however many calls run. Without a call that
 * accepts something nothing is read. Safe for use by any thread; never blocks.
 */
final class CallNotices {
    /** On average, of all calls of the server together. */
    static final int PER_SECOND = 20;

    /** What may come at once is what the average gives in this time. */
    private static final Duration BURST = Duration.ofSeconds(3);

    private final ConcurrentHashMap<Long, Listener> byToken = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Listener, Boolean> listening = new ConcurrentHashMap<>();
    private final LogRateLimit progress = new LogRateLimit(PER_SECOND, BURST);
    private final LogRateLimit messages = new LogRateLimit(PER_SECOND, BURST);
    private final LogRateLimit tasks = new LogRateLimit(PER_SECOND, BURST);
    private final AtomicReference<@Nullable LogLevel> asked = new AtomicReference<>();

    /** A call that may accept what a server says. */
    interface Listener {
        /** What the server names the call by, null where it accepts no progress. */
        @Nullable Long progressToken();

        boolean acceptsMessages();

        /** Whether it accepts messages of this level. */
        boolean wants(LogLevel level);

        /** The server reported progress. */
        void progressed(Progress progress);

        /** The server logged something that it wants. */
        void said(ServerMessage message);

        /** A message came faster than they are published. */
        void dropped();
    }

    /** A server's report. */
    record Progress(double progress, @Nullable Double total, @Nullable String message) {}

    /** A call is about to be sent; {@link #remove} it in the end. */
    void add(Listener call) {
        var token = call.progressToken();
        if (token != null) {
            byToken.put(token, call);
        }
        if (call.acceptsMessages()) {
            listening.put(call, Boolean.TRUE);
        }
    }

    void remove(Listener call) {
        var token = call.progressToken();
        if (token != null) {
            byToken.remove(token, call);
        }
        listening.remove(call);
    }

    /** Parameters of the server's report. */
    void progress(RawJson params) {
        if (byToken.isEmpty()) {
            return;
        }
        try {
            var tree = Json.tree(params.bytes());
            var token = tree.path("progressToken");
            var call = token.canConvertToLong() ? byToken.get(token.asLong(0)) : null;
            var value = tree.path("progress");
            if (call != null && value.isNumber() && Double.isFinite(value.asDouble(0))) {
                var total = tree.path("total").asDouble(Double.NaN);
                var message = tree.path("message");
                call.progressed(
                        new Progress(
                                value.asDouble(0),
                                Double.isFinite(total) ? (Double) total : null,
                                message.isString() ? message.stringValue() : null));
            }
        } catch (InvalidRecordException e) {
            // Not as MCP has it: there is nobody to tell.
        }
    }

    /** Parameters of the server's message. */
    void message(RawJson params) {
        if (listening.isEmpty()) {
            return;
        }
        var message = ServerMessage.read(params);
        if (message == null) {
            return;
        }
        for (var call : listening.keySet()) {
            if (!call.wants(message.level())) {
                continue;
            }
            if (admitsMessage()) {
                call.said(message);
            } else {
                call.dropped();
            }
        }
    }

    /** Whether one more progress event may be published now. */
    boolean admitsProgress() {
        synchronized (progress) {
            return progress.admit(System.nanoTime());
        }
    }

    /** Whether a state of a task may be published now. */
    boolean admitsTask() {
        synchronized (tasks) {
            return tasks.admit(System.nanoTime());
        }
    }

    private boolean admitsMessage() {
        synchronized (messages) {
            return messages.admit(System.nanoTime());
        }
    }

    /** True the first time that the server has to be asked for so much. */
    boolean needsLevel(LogLevel level) {
        var before =
                asked.getAndUpdate(
                        known -> known == null || level.compareTo(known) < 0 ? level : known);
        return before == null || level.compareTo(before) < 0;
    }
}
