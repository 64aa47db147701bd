package dev.perigee.worker.admin;

import dev.perigee.worker.process.ServerUsage.Usage;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Gauges of the resources that the processes of servers use. */
public final class ServerGauges {
    private ServerGauges() {}

    /**
     * Adds them to a registry.
     *
     * @param usage asked at each reading, several times
     */
    public static void bindTo(MeterRegistry registry, Supplier<@Nullable Usage> usage) {
        Gauge.builder("perigee.worker.servers.memory", () -> value(usage, Usage::memoryBytes))
                .description("Anonymous resident memory of all processes that the worker started")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("perigee.worker.servers.processes", () -> value(usage, Usage::processes))
                .description("Live processes that the worker started, and what these started")
                .register(registry);
        // A counter holds what it asks weakly; the gauges above hold it for good.
        FunctionCounter.builder(
                        "perigee.worker.servers.cpu", usage, it -> value(it, Usage::cpuSeconds))
                .description(
                        "Processor time of processes that the worker started, also of ended ones")
                .baseUnit("seconds")
                .register(registry);
    }

    private static double value(Supplier<@Nullable Usage> usage, ToDoubleFunction<Usage> part) {
        var now = usage.get();
        return now == null ? Double.NaN : part.applyAsDouble(now);
    }
}
