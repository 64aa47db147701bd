package dev.perigee.worker.admin;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;

/** Meters of the JVM. */
public final class WorkerJvmMeters implements AutoCloseable {
    private final JvmGcMetrics garbage = new JvmGcMetrics();

    private WorkerJvmMeters() {}

    /** Adds them to a registry. */
    public static WorkerJvmMeters bindTo(MeterRegistry registry) {
        var meters = new WorkerJvmMeters();
        meters.garbage.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        return meters;
    }

    @Override
    public void close() {
        garbage.close();
    }
}
