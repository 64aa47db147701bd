package dev.perigee.gateway.inbound;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of this gateway's group membership: the generation and the partitions it owns in it,
 * always read together. A partition is in a view only if the consumer still had it after it had
 * learned of that generation; so a view that is too old is refused by the group's coordinator, and
 * one that is new no longer contains what was taken away.
 *
 * @param metadata null until the gateway is a member for the first time
 * @param tenures number of the running tenure, by partition
 */
public record GroupView(@Nullable ConsumerGroupMetadata metadata, Map<Integer, Long> tenures) {
    /** Outside the group. */
    static final GroupView NONE = new GroupView(null, Map.of());

    public GroupView {
        tenures = Map.copyOf(tenures);
    }

    /** True while the tenure runs. */
    public boolean holds(Tenure tenure) {
        var number = tenures.get(tenure.partition());
        return number != null && number == tenure.number();
    }
}
