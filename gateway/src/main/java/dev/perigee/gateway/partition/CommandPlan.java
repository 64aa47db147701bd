package dev.perigee.gateway.partition;

import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.gateway.quarantine.CommandedStart;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.link.InstanceOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plan of a command: its orders to the worker, or its result. */
sealed interface CommandPlan {
    /** Nothing has to be asked of a worker. */
    record Answer(
            CommandOutcome outcome, @Nullable CommandDetails details, @Nullable CommandError error)
            implements CommandPlan {}

    /** One order per instance that the command is about. */
    record Run(List<Step> steps) implements CommandPlan {
        public Run {
            steps = List.copyOf(steps);
        }
    }

    /**
     * What is asked of one instance.
     *
     * @param write what is wanted of the instance from now on, null when nothing changes
     * @param before what was wanted so far, null when it was not there
     */
    record Step(
            String processId,
            @Nullable Installed write,
            @Nullable DesiredInstance before,
            Order order) {

        /** Whether somebody wants it started as something new, or once more. */
        boolean startsAnew() {
            return switch (order) {
                case ApplyOrder(var cause) ->
                        write != null
                                || cause == InstanceOrder.Cause.SPAWN
                                || cause == InstanceOrder.Cause.REDEPLOYED;
                case RestartOrder _ -> true;
                case StopOrder _, RemoveOrder _, RecoverOrder _, SwitchOrder _, CheckOrder _ ->
                        false;
            };
        }

        /** How it is started, where it is. */
        CommandedStart start() {
            if (write == null) {
                return CommandedStart.AGAIN;
            }
            return order instanceof ApplyOrder(var cause) && cause != InstanceOrder.Cause.SPAWN
                    ? CommandedStart.CHANGED
                    : CommandedStart.AFTER_STOP;
        }
    }

    /** The kinds of order. */
    sealed interface Order {}

    /** Bring it to its configuration. */
    record ApplyOrder(InstanceOrder.Cause cause) implements Order {}

    /** Stop it by intent. */
    record StopOrder(@Nullable String reason) implements Order {}

    /** Restart it. */
    record RestartOrder(@Nullable String reason) implements Order {}

    /** Remove it completely. */
    record RemoveOrder() implements Order {}

    /** Discover its tools again. */
    record RecoverOrder() implements Order {}

    /** Hide or restore a tool. */
    record SwitchOrder(String toolName, boolean disabled) implements Order {}

    /** Ask whether it is well. */
    record CheckOrder(CommandAction.Check check) implements Order {}
}
