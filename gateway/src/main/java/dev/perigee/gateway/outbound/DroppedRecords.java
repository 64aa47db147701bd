package dev.perigee.gateway.outbound;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

/** Counter of records that were given up while their topic could not be written. Thread-safe. */
final class DroppedRecords {
    private final MeterProvider<Counter> counters;

    DroppedRecords(MeterRegistry metrics) {
        this.counters =
                Counter.builder("perigee.gateway.publish.dropped")
                        .description("Records given up while their topic could not be written")
                        .withRegistry(metrics);
    }

    void show(String topic) {
        var _ = counters.withTags("topic", topic);
    }

    void count(String topic) {
        counters.withTags("topic", topic).increment();
    }
}
