package dev.perigee.worker.admin;

import dev.perigee.worker.process.Limit;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.function.Consumer;

/** Counts the servers that limits ended. */
public final class LimitMeters {
    private LimitMeters() {}

    /** Adds the counters to a registry, each with 0; what is returned counts, on any thread. */
    public static Consumer<Limit> bindTo(MeterRegistry registry) {
        var counters = new EnumMap<Limit, Counter>(Limit.class);
        for (var limit : Limit.values()) {
            counters.put(
                    limit,
                    Counter.builder("perigee.worker.limit.ends")
                            .description("Processes of servers and installations ended by a limit")
                            .tag("limit", limit.wireName())
                            .register(registry));
        }
        return limit -> {
            var counter = counters.get(limit);
            if (counter != null) {
                counter.increment();
            }
        };
    }
}
