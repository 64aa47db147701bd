package dev.perigee.worker.admin;

import dev.perigee.worker.instance.InstanceSnapshot;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/** Gauges of what servers want of a worker, beside what it has; counted once for each reading. */
final class DemandGauges {
    private final ServerCapacity capacity;
    private volatile ServerDemand demand = new ServerDemand(0, 0, 0);

    DemandGauges(MeterRegistry registry, ServerCapacity capacity) {
        this.capacity = capacity;
        Gauge.builder("perigee.worker.servers.awake", () -> demand.awake())
                .description("Servers that have a process")
                .register(registry);
        Gauge.builder("perigee.worker.servers.wanted", () -> demand.wanted())
                .description(
                        "Servers that have a process or are to have one: that start, wait for their"
                                + " start, or are called; within limits.user.awake and"
                                + " limits.team.awake")
                .register(registry);
        Gauge.builder("perigee.worker.servers.memory.wanted", () -> demand.wantedBytes())
                .description(
                        "Memory that servers take or are to take: those without a process as much as"
                                + " the others on average")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("perigee.worker.servers.memory.limit", this::limit)
                .description(
                        "Memory that servers may take together: isolation.total-memory; NaN where"
                                + " it is unlimited")
                .baseUnit("bytes")
                .register(registry);
    }

    void update(List<InstanceSnapshot> instances) {
        demand = ServerDemand.of(instances, capacity.awake(), capacity.usage().get());
    }

    private double limit() {
        return capacity.memoryBytes() == 0 ? Double.NaN : capacity.memoryBytes();
    }
}
