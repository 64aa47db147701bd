package dev.perigee.gateway;

import dev.perigee.gateway.partition.OwnerState;
import dev.perigee.gateway.partition.Partitions;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;

/** How many partitions this gateway has, by what their owners are doing. */
final class GatewayGauges {
    private GatewayGauges() {}

    static void register(MeterRegistry registry, Partitions partitions) {
        for (var state : OwnerState.values()) {
            Gauge.builder("perigee.gateway.partitions", partitions, owners -> count(owners, state))
                    .description("Partitions of this gateway, by what their owners are doing")
                    .tag("state", state.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
    }

    private static double count(Partitions partitions, OwnerState state) {
        return partitions.states().values().stream().filter(state::equals).count();
    }
}
