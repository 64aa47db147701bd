package dev.perigee.gateway.partition;

import dev.perigee.gateway.partition.CommandPlan.RemoveOrder;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Changes of desired state by the outcome of an order: a removed instance is deleted, a rejected
 * configuration is replaced by the one before, unless a later command replaced it already.
 */
final class OrderConsequences {
    private OrderConsequences() {}

    /** Changes the state and returns the records that say so. */
    static List<ProducerRecord<byte[], byte[]>> of(
            RunningCommand.Part part, @Nullable Outcome outcome, PartitionContext context) {
        var processId = part.step().processId();
        var current = context.state().instance(processId);
        if (outcome == null
                || current == null
                || current.startToken() != part.target().startToken()) {
            return List.of();
        }
        boolean removed =
                part.step().order() instanceof RemoveOrder
                        && outcome.outcome() == CommandOutcome.COMPLETED;
        boolean rejected =
                part.step().write() != null && outcome.outcome() == CommandOutcome.REJECTED;
        var before = part.step().before();
        if (rejected && before != null) {
            context.state().install(before);
            return List.of(context.stateTopic().instance(before.again()));
        }
        if (removed || rejected) {
            context.state().remove(processId);
            return List.of(
                    context.stateTopic().noInstance(processId),
                    context.stateTopic().noRuntime(processId),
                    context.stateTopic().suspicion(processId, Suspicion.NONE));
        }
        return List.of();
    }
}
