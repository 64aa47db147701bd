package dev.perigee.worker.admin;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.instance.InstanceState;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Gauges of instances by state and by status, and of demand; counted once for each reading. */
final class InstanceGauges {
    private final Supplier<List<InstanceSnapshot>> instances;
    private final MultiGauge states;
    private final MultiGauge statuses;
    private final MultiGauge dormant;
    private final DemandGauges demand;

    InstanceGauges(
            MeterRegistry registry,
            Supplier<List<InstanceSnapshot>> instances,
            ServerCapacity capacity) {
        this.instances = instances;
        this.demand = new DemandGauges(registry, capacity);
        this.states =
                MultiGauge.builder("perigee.worker.instances")
                        .description("Instances, by what their process is doing")
                        .register(registry);
        this.statuses =
                MultiGauge.builder("perigee.worker.instances.status")
                        .description("Instances, by the status that backends see")
                        .register(registry);
        this.dormant =
                MultiGauge.builder("perigee.worker.instances.dormant")
                        .description("Instances that wait without a process for a call")
                        .register(registry);
    }

    void update() {
        var now = instances.get();
        demand.update(now);
        states.register(
                rows(
                        "state",
                        Stream.of(InstanceState.values()),
                        InstanceState::wireName,
                        state -> now.stream().filter(it -> it.state() == state).count()),
                true);
        statuses.register(
                rows(
                        "status",
                        Stream.of(ServerStatus.values()),
                        ServerStatus::wireName,
                        status -> now.stream().filter(it -> it.status() == status).count()),
                true);
        dormant.register(
                List.of(
                        MultiGauge.Row.of(
                                Tags.empty(),
                                now.stream().filter(InstanceSnapshot::dormant).count())),
                true);
    }

    private static <T> List<MultiGauge.Row<?>> rows(
            String tag, Stream<T> values, Function<T, String> name, Function<T, Long> count) {
        var rows = new ArrayList<MultiGauge.Row<?>>();
        values.forEach(
                value ->
                        rows.add(
                                MultiGauge.Row.of(
                                        Tags.of(tag, name.apply(value)), count.apply(value))));
        return rows;
    }
}
