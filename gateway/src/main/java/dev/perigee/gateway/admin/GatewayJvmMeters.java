package dev.perigee.gateway.admin;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;

/** The meters of the JVM itself. */
final class GatewayJvmMeters implements AutoCloseable {
    private final JvmGcMetrics collections;

    private GatewayJvmMeters(JvmGcMetrics collections) {
        this.collections = collections;
    }

    static GatewayJvmMeters bind(MeterRegistry registry) {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        var collections = new JvmGcMetrics();
        collections.bindTo(registry);
        return new GatewayJvmMeters(collections);
    }

    @Override
    public void close() {
        collections.close();
    }
}
