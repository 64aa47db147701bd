package dev.perigee.worker.admin;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;

/** Meters of the JVM. */
public final class JvmMeters implements AutoCloseable {
    private final JvmGcMetrics garbage = new JvmGcMetrics();

    private JvmMeters() {}

    /** Adds them to a registry. */
    public static JvmMeters bindTo(MeterRegistry registry) {
        var meters = new JvmMeters();
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
