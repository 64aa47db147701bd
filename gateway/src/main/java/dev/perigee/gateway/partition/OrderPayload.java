package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.partition.CommandPlan.ApplyOrder;
import dev.perigee.gateway.partition.CommandPlan.CheckOrder;
import dev.perigee.gateway.partition.CommandPlan.RecoverOrder;
import dev.perigee.gateway.partition.CommandPlan.RemoveOrder;
import dev.perigee.gateway.partition.CommandPlan.RestartOrder;
import dev.perigee.gateway.partition.CommandPlan.Step;
import dev.perigee.gateway.partition.CommandPlan.StopOrder;
import dev.perigee.gateway.partition.CommandPlan.SwitchOrder;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import org.jspecify.annotations.Nullable;

/**
 * An order as it goes over the link.
 *
 * @param method a {@link LinkMethod}'s name
 * @param order what that method takes
 */
record OrderPayload(String method, Object order) {

    /**
     * The order of a command's step, about the instance as it is wanted now.
     *
     * @param durable what is known of it: its worker may have it no more, and its tokens are there
     * @param quarantine why it may not run, null where it may
     */
    static OrderPayload of(
            CommandRead read,
            Step step,
            DesiredInstance instance,
            @Nullable RawJson durable,
            InstanceOrder.@Nullable Quarantine quarantine) {
        return switch (step.order()) {
            case ApplyOrder(var cause) -> apply(read, instance, cause, durable, quarantine);
            case RestartOrder _ when quarantine != null ->
                    apply(read, instance, InstanceOrder.Cause.SPAWN, durable, quarantine);
            case StopOrder(var reason) ->
                    new OrderPayload(LinkMethod.STOP, simple(read, instance, reason));
            case RestartOrder(var reason) ->
                    new OrderPayload(LinkMethod.RESTART, simple(read, instance, reason));
            case RemoveOrder() -> new OrderPayload(LinkMethod.REMOVE, simple(read, instance, null));
            case RecoverOrder() ->
                    new OrderPayload(LinkMethod.RECOVER, simple(read, instance, null));
            case SwitchOrder(var tool, var disabled) ->
                    new OrderPayload(
                            LinkMethod.SWITCH_TOOL,
                            new InstanceOrder.SwitchTool(
                                    simple(read, instance, null), tool, disabled));
            case CheckOrder(var check) ->
                    new OrderPayload(
                            LinkMethod.HEALTH_CHECK,
                            new InstanceOrder.HealthCheck(simple(read, instance, null), check));
        };
    }

    private static OrderPayload apply(
            CommandRead read,
            DesiredInstance instance,
            InstanceOrder.Cause cause,
            @Nullable RawJson durable,
            InstanceOrder.@Nullable Quarantine quarantine) {
        return new OrderPayload(
                LinkMethod.APPLY,
                new InstanceOrder.Apply(
                        read.origin().partition(),
                        read.origin(),
                        read.command().id(),
                        instance.startToken(),
                        cause,
                        instance.config(),
                        instance.isStopped() || quarantine != null,
                        durable,
                        quarantine));
    }

    /**
     * Brings an instance back as the state topic has it.
     *
     * @param quarantine why it may not run, null where it may
     */
    static OrderPayload restore(
            int partition,
            DesiredInstance instance,
            @Nullable RawJson durable,
            InstanceOrder.@Nullable Quarantine quarantine) {
        return new OrderPayload(
                LinkMethod.APPLY,
                new InstanceOrder.Apply(
                        partition,
                        null,
                        null,
                        instance.startToken(),
                        InstanceOrder.Cause.RESTORED,
                        instance.config(),
                        instance.isStopped() || quarantine != null,
                        durable,
                        quarantine));
    }

    private static InstanceOrder.Simple simple(
            CommandRead read, DesiredInstance instance, @Nullable String reason) {
        return new InstanceOrder.Simple(
                read.origin().partition(),
                read.origin(),
                read.command().id(),
                instance.processId(),
                instance.startToken(),
                reason);
    }
}
