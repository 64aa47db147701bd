package dev.perigee.worker.session;

import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.tool.ToolResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
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

    private final MeterProvider<Counter> calls;
    private final MeterProvider<Counter> events;
    private final MeterProvider<Counter> refusals;
    private final MeterProvider<Counter> attaches;
    private final Counter expirations;
    private final Counter unauthorized;
    private final Timer latency;

    SessionMetrics(MeterRegistry registry) {
        this.calls = counters(registry, "calls", "Requests that have their result");
        this.events = counters(registry, "events", "Events of instances");
        this.refusals = counters(registry, "link.refusals", "Requests on the link refused");
        this.attaches =
                counters(
                        registry,
                        "session.attaches",
                        "Gateways that took a session: created, resumed or fenced another");
        // There from the start, so that the first occurrence shows as an increase.
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
        calls.withTags(
                        "outcome",
                        result.outcome().name().toLowerCase(Locale.ROOT),
                        "code",
                        error == null ? "none" : error.code().name().toLowerCase(Locale.ROOT))
                .increment();
        latency.record(Duration.ofMillis(result.durationMs()));
    }

    /** An instance told something. */
    void event(EventType type) {
        events.withTags("type", type.wireName()).increment();
    }

    /** A request on the link was refused. */
    void refused(LinkError error) {
        refusals.withTags("error", error.name().toLowerCase(Locale.ROOT)).increment();
    }

    /** A gateway took a session; {@code how} is created, resumed or fenced. */
    void attached(String how) {
        attaches.withTags("how", how).increment();
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
