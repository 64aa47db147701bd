package dev.perigee.gateway.partition;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What owners count and measure. Any thread. */
public final class GatewayMetrics {
    private final MeterRegistry registry;
    private final Timer call;
    private final Timer restore;

    public GatewayMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.call =
                Timer.builder("perigee.gateway.call")
                        .description("From a request's append to its result's acknowledgement")
                        .publishPercentileHistogram()
                        .register(registry);
        this.restore = registry.timer("perigee.gateway.restore");
    }

    void received(String topic, int records) {
        registry.counter("perigee.gateway.records.in", "topic", topic).increment(records);
    }

    void commandEnded(Enum<?> outcome) {
        registry.counter("perigee.gateway.commands", "outcome", lower(outcome)).increment();
    }

    void duplicate(String topic) {
        registry.counter("perigee.gateway.duplicates", "topic", topic).increment();
    }

    /** A request ended: by the worker's result, or by an error of the gateway's. */
    void requestEnded(@Nullable Enum<?> code, Duration sinceAppend) {
        registry.counter(
                        "perigee.gateway.requests",
                        "answered_by",
                        code == null ? "worker" : "gateway",
                        "code",
                        code == null ? "none" : lower(code))
                .increment();
        call.record(sinceAppend.isNegative() ? Duration.ZERO : sinceAppend);
    }

    void restored(Duration took) {
        restore.record(took);
    }

    void sessionEnded(String reason) {
        registry.counter("perigee.gateway.session.ends", "reason", reason).increment();
    }

    void failure(String where) {
        registry.counter("perigee.gateway.failures", "where", where).increment();
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
