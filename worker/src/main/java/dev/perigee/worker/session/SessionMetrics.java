package dev.perigee.worker.session;

import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.tool.ToolResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;

/** Counts what passes through the sessions. No label names a user, a team or an instance. */
final class SessionMetrics {
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

    private final MeterRegistry registry;
    private final Timer latency;
    private final Counter expirations;
    private final Counter unauthorized;

    SessionMetrics(MeterRegistry registry) {
        this.registry = registry;
        // There from the start, so that the first occurrence shows as an increase.
        this.expirations = registry.counter("perigee.worker.session.expirations");
        this.unauthorized = registry.counter("perigee.worker.link.unauthorized");
        this.latency =
                Timer.builder("perigee.worker.call.duration")
                        .description("From accepting a request to its result")
                        .serviceLevelObjectives(BUCKETS)
                        .register(registry);
    }

    /** A request has its result. */
    void call(ToolResult result) {
        var error = result.error();
        registry.counter(
                        "perigee.worker.calls",
                        "outcome",
                        result.outcome().name().toLowerCase(Locale.ROOT),
                        "code",
                        error == null ? "none" : error.code().name().toLowerCase(Locale.ROOT))
                .increment();
        latency.record(Duration.ofMillis(result.durationMs()));
    }

    /** An instance told something. */
    void event(EventType type) {
        registry.counter("perigee.worker.events", "type", type.wireName()).increment();
    }

    /** A request on the link was refused. */
    void refused(LinkError error) {
        registry.counter(
                        "perigee.worker.link.refusals",
                        "error",
                        error.name().toLowerCase(Locale.ROOT))
                .increment();
    }

    /** A gateway took a session; {@code how} is created, resumed or fenced. */
    void attached(String how) {
        registry.counter("perigee.worker.session.attaches", "how", how).increment();
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
