package dev.perigee.tracing;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counters of spans by what became of them. Thread-safe. */
final class SpanCounts {
    private final Counter exported;
    private final Counter failed;
    private final Counter dropped;

    SpanCounts(MeterRegistry registry, String part) {
        exported = counter(registry, part, "exported");
        failed = counter(registry, part, "failed");
        dropped = counter(registry, part, "dropped");
    }

    private static Counter counter(MeterRegistry registry, String part, String outcome) {
        return Counter.builder("perigee." + part + ".spans")
                .description("Spans for tracing.endpoint, by what became of them")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** The collector took them. */
    void exported(int spans) {
        exported.increment(spans);
    }

    /** The collector did not take them, and they are lost. */
    void failed(int spans) {
        failed.increment(spans);
    }

    /** There was no room for them. */
    void dropped(int spans) {
        dropped.increment(spans);
    }
}
