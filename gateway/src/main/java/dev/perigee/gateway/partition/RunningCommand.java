package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.partition.CommandPlan.Step;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandDetails.InstanceDetails;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A command that was accepted: which of its orders are to be sent, and how the others ended. */
final class RunningCommand {
    /**
     * One of its orders.
     *
     * @param target the instance as this command wants it, with the token of that
     */
    record Part(Step step, DesiredInstance target) {}

    private final CommandRead read;
    private final Instant acceptedAt;
    private final Map<String, Part> parts = new LinkedHashMap<>();
    private final Map<String, Part> unsent = new LinkedHashMap<>();
    private final Map<String, Outcome> outcomes = new LinkedHashMap<>();

    RunningCommand(CommandRead read, List<Part> parts, Instant acceptedAt) {
        this.read = read;
        this.acceptedAt = acceptedAt;
        parts.forEach(part -> this.parts.put(part.step().processId(), part));
        unsent.putAll(this.parts);
    }

    CommandRead read() {
        return read;
    }

    Instant acceptedAt() {
        return acceptedAt;
    }

    List<Part> parts() {
        return List.copyOf(parts.values());
    }

    /** The orders to send now; they count as sent. */
    List<Part> takeUnsent() {
        var taken = List.copyOf(unsent.values());
        unsent.clear();
        return taken;
    }

    /** The order did not take effect on a session that is gone: it is to be sent again. */
    void sendAgain(Part part) {
        unsent.put(part.step().processId(), part);
    }

    void ended(Part part, Outcome outcome) {
        outcomes.put(part.step().processId(), outcome);
    }

    boolean hasEnded() {
        return outcomes.size() == parts.size();
    }

    /** True while it is about to remove this instance. */
    boolean isRemoving(String processId) {
        var part = parts.get(processId);
        return part != null
                && part.step().order() instanceof CommandPlan.RemoveOrder
                && !outcomes.containsKey(processId);
    }

    @Nullable Outcome outcome(Part part) {
        return outcomes.get(part.step().processId());
    }

    /** The instance, where the command is about exactly one. */
    @Nullable String processId() {
        return parts.size() == 1 ? parts.keySet().iterator().next() : null;
    }

    /** How the command as a whole ended. */
    CommandPlan.Answer result() {
        if (parts.size() == 1) {
            var only = outcomes.values().iterator().next();
            return new CommandPlan.Answer(only.outcome(), only.details(), only.error());
        }
        return ofAll(outcomes());
    }

    /** How its orders ended, those that have. */
    List<Outcome> outcomes() {
        return List.copyOf(outcomes.values());
    }

    /** How a command about several instances ended. */
    static CommandPlan.Answer ofAll(List<Outcome> outcomes) {
        var instances =
                outcomes.stream()
                        .map(it -> new InstanceDetails(it.processId(), it.outcome(), it.details()))
                        .toList();
        var failed =
                outcomes.stream()
                        .filter(outcome -> outcome.outcome() != CommandOutcome.COMPLETED)
                        .toList();
        return new CommandPlan.Answer(
                failed.isEmpty() ? CommandOutcome.COMPLETED : CommandOutcome.FAILED,
                new CommandDetails(null, null, null, null, null, null, null, null, null, instances),
                failed.isEmpty() ? null : failed.getFirst().error());
    }
}
