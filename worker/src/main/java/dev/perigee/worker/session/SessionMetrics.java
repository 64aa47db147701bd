package dev.perigee.worker.session;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counters and call duration of a worker's sessions. No label names a user, a team or an instance.
 * All counters are there from the start, so that the first occurrence shows as an increase. Safe
 * for use by any thread.
 */
final class SessionMetrics {
    private static final String NONE = "none";
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30)
    };

    private final MeterProvider<Counter> calls;
    private final Counter succeeded;
    private final MeterProvider<Counter> events;
    private final MeterProvider<Counter> crashes;
    private final MeterProvider<Counter> refusals;
    private final MeterProvider<Counter> attaches;
    private final Counter expirations;
    private final Counter unauthorized;
    private final Timer latency;

    SessionMetrics(MeterRegistry registry) {
        this.calls = counters(registry, "calls", "Requests that have their result");
        this.succeeded = call(ToolOutcome.SUCCESS, null);
        this.events = counters(registry, "events", "Events of instances");
        this.crashes =
                counters(
                        registry,
                        "crashes",
                        "Processes that ended unasked with an error, by signal (none: by exit"
                                + " code) and whether they are restarted");
        this.refusals = counters(registry, "link.refusals", "Requests on the link refused");
        this.attaches =
                counters(
                        registry,
                        "session.attaches",
                        "Gateways that took a session: created, resumed or fenced another");
        this.expirations =
                counters(
                                registry,
                                "session.expirations",
                                "Sessions that nobody came back to within their retention")
                        .withTags();
        this.unauthorized =
                counters(registry, "link.unauthorized", "Connections refused before the upgrade")
                        .withTags();
        this.latency =
                Timer.builder("perigee.worker.call.duration")
                        .description("From accepting a request to its result")
                        .serviceLevelObjectives(BUCKETS)
                        .register(registry);
        begin();
    }

    private void begin() {
        call(ToolOutcome.TOOL_ERROR, null);
        Stream.of(ErrorCode.values()).forEach(code -> call(ToolOutcome.FAILED, code));
        EnumSet.complementOf(EnumSet.of(EventType.TOOL_RESULT, EventType.REMOVED))
                .forEach(type -> events.withTags("type", type.wireName()));
        for (var signal : List.of(NONE, "SIGKILL", "SIGSEGV", "SIGABRT")) {
            crash(signal, true);
            crash(signal, false);
        }
        for (var error : LinkError.values()) {
            var _ = refusals.withTags("error", lower(error));
        }
        for (var how : List.of("created", "resumed", "fenced")) {
            var _ = attaches.withTags("how", how);
        }
    }

    private static MeterProvider<Counter> counters(
            MeterRegistry registry, String name, String description) {
        return Counter.builder("perigee.worker." + name)
                .description(description)
                .withRegistry(registry);
    }

    /** A request has its result. */
    void call(ToolResult result) {
        var error = result.error();
        var counter =
                result.outcome() == ToolOutcome.SUCCESS
                        ? succeeded
                        : call(result.outcome(), error == null ? null : error.code());
        counter.increment();
        latency.record(Duration.ofMillis(result.durationMs()));
    }

    private Counter call(ToolOutcome outcome, @Nullable ErrorCode code) {
        return calls.withTags("outcome", lower(outcome), "code", code == null ? NONE : lower(code));
    }

    /** A journal entry was appended. */
    void event(EventBody event) {
        events.withTags("type", event.type().wireName()).increment();
        if (event instanceof EventBody.Crashed crashed) {
            var signal = crashed.signal();
            crash(signal == null ? NONE : signal, crashed.willRestart()).increment();
        }
    }

    private Counter crash(String signal, boolean restarts) {
        return crashes.withTags("signal", signal, "will_restart", Boolean.toString(restarts));
    }

    /** A request on the link was refused. */
    void refused(LinkError error) {
        refusals.withTags("error", lower(error)).increment();
    }

    /** A gateway took a session; {@code how} is created, resumed or fenced. */
    void attached(String how) {
        attaches.withTags("how", how).increment();
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** A session ran out of its retention. */
    void expired() {
        expirations.increment();
    }

    /** A connection was refused before the upgrade. */
    void unauthorized() {
        unauthorized.increment();
    }
}
