package dev.perigee.worker.admin;

import dev.perigee.worker.session.DrainState.Phase;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.Locale;

/** What the worker as a whole is doing and what room it has, asked at each reading. */
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
}
