package dev.perigee.worker.admin;

import dev.perigee.protocol.access.NewcomerLimit;
import dev.perigee.worker.session.DrainState.Phase;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.Locale;

/** Gauges of the worker as a whole: load and free capacity, computed at each reading. */
final class WorkerGauges {
    private WorkerGauges() {}

    static void register(MeterRegistry registry, Health ready, DrainControl drain) {
        Gauge.builder("perigee.worker.ready", ready, it -> it.ask().isWell() ? 1 : 0)
                .description("1 when nothing keeps the worker from serving, as in /health/ready")
                .register(registry);
        for (var phase : Phase.values()) {
            Gauge.builder(
                            "perigee.worker.phase",
                            drain,
                            it -> it.progress().phase() == phase ? 1 : 0)
                    .description("1 for what the worker is doing: serving, or how far it has left")
                    .tag("phase", phase.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        new HostMemory(Path.of("/")).register(registry);
    }

    /** The admin pages' own connections. */
    static void connections(MeterRegistry registry, NewcomerLimit limit) {
        Gauge.builder("perigee.worker.admin.connections", limit, NewcomerLimit::count)
                .description("Connections to the admin pages")
                .register(registry);
        FunctionCounter.builder("perigee.worker.admin.displaced", limit, NewcomerLimit::displaced)
                .description("Such connections closed because there were too many")
                .register(registry);
    }
}
