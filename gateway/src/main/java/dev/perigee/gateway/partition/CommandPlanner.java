package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.partition.CommandPlan.Answer;
import dev.perigee.gateway.partition.CommandPlan.ApplyOrder;
import dev.perigee.gateway.partition.CommandPlan.CheckOrder;
import dev.perigee.gateway.partition.CommandPlan.Order;
import dev.perigee.gateway.partition.CommandPlan.RecoverOrder;
import dev.perigee.gateway.partition.CommandPlan.RemoveOrder;
import dev.perigee.gateway.partition.CommandPlan.RestartOrder;
import dev.perigee.gateway.partition.CommandPlan.Run;
import dev.perigee.gateway.partition.CommandPlan.Step;
import dev.perigee.gateway.partition.CommandPlan.StopOrder;
import dev.perigee.gateway.partition.CommandPlan.SwitchOrder;
import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.command.CommandAction.Change;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.link.InstanceOrder;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a command leads to, given what is installed. Pure.
 *
 * <p>An instance keeps its start token while its configuration stays the same, so that a worker can
 * tell a repeat from a change; unless it is about to be removed, for then it is a new one.
 *
 * <p>A command that an earlier owner accepted is read again. What newer commands installed since is
 * left as it is, since this one was accepted before.
 */
final class CommandPlanner {
    private static final CommandDetails NOTHING_REMOVED =
            new CommandDetails(null, null, false, false, null, "not found", null, null, null, null);

    private CommandPlanner() {}

    /**
     * Decides.
     *
     * @param leaving whether the instance of a process id is being removed
     * @param refusal why a configuration cannot be installed besides those that are there; null
     *     where it can
     */
    static CommandPlan plan(
            CommandRead read,
            PartitionState state,
            Predicate<String> leaving,
            Function<ServerConfig, @Nullable CommandError> refusal) {
        var installed =
                state.instancesOf(read.key().teamId(), read.key().userId()).stream()
                        .filter(instance -> !overtook(instance, read, state))
                        .toList();
        return switch (read.action()) {
            case CommandAction.Configure(var change, var config) -> {
                var refused = isNew(read, config, state) ? refusal.apply(config) : null;
                yield refused == null
                        ? configure(read, change, config, state, leaving.test(config.processId()))
                        : new Answer(CommandOutcome.REJECTED, null, refused);
            }
            case CommandAction.Delete(var installation, var _) ->
                    each(
                            of(installation, installed),
                            instance -> step(instance, new RemoveOrder()),
                            read.action());
            case CommandAction.RemoveMember _ ->
                    each(installed, instance -> step(instance, new RemoveOrder()), read.action());
            case CommandAction.Recover(var installation, var _) ->
                    each(
                            of(installation, installed),
                            instance -> step(instance, new RecoverOrder()),
                            read.action());
            case CommandAction.SwitchTool(var installation, var _, var tool, var disabled) ->
                    each(
                            of(installation, installed),
                            instance -> step(instance, new SwitchOrder(tool, disabled)),
                            read.action());
            case CommandAction.Spawn(var installation, var _, var reason) ->
                    each(
                            of(installation, installed),
                            instance ->
                                    intent(
                                            instance,
                                            false,
                                            new ApplyOrder(InstanceOrder.Cause.SPAWN)),
                            read.action());
            case CommandAction.Kill(var installation, var _, var reason) ->
                    each(
                            of(installation, installed),
                            instance -> intent(instance, true, new StopOrder(reason)),
                            read.action());
            case CommandAction.Restart(var installation, var _, var reason) ->
                    each(
                            of(installation, installed),
                            instance -> intent(instance, false, new RestartOrder(reason)),
                            read.action());
            case CommandAction.CheckHealth(var installation, var _, var check) ->
                    each(
                            of(installation, installed),
                            instance -> step(instance, new CheckOrder(check)),
                            read.action());
            case CommandAction.Unknown(var what) ->
                    new Answer(
                            CommandOutcome.FAILED,
                            null,
                            new CommandError("unsupported", "This version does not know " + what));
        };
    }

    /** Whether it is not installed, and no earlier owner decided that it is to be. */
    private static boolean isNew(CommandRead read, ServerConfig config, PartitionState state) {
        var known = state.command(CommandMemory.nameOf(read));
        return state.instance(config.processId()) == null
                && (known == null || !known.origin().equals(read.origin()));
    }

    private static CommandPlan configure(
            CommandRead read,
            Change change,
            ServerConfig config,
            PartitionState state,
            boolean isLeaving) {
        var before = state.instance(config.processId());
        if (before != null && !isSameUser(before.config(), config)) {
            return new Answer(CommandOutcome.REJECTED, null, ProcessIdOwners.taken(config));
        }
        if (before != null && overtook(before, read, state)) {
            return new Answer(
                    CommandOutcome.COMPLETED,
                    CommandDetails.supersededBy(before.record().commandId()),
                    null);
        }
        boolean repeated = before != null && before.record().origin().equals(read.origin());
        boolean same =
                before != null
                        && !isLeaving
                        && !before.record().stopped()
                        && change != Change.REDEPLOYED
                        && ConfigFingerprint.of(before.config())
                                .equals(ConfigFingerprint.of(config));
        var write =
                repeated || same
                        ? null
                        : new Installed(
                                config,
                                false,
                                read.origin(),
                                read.command().id(),
                                null,
                                read.appendedAt());
        var order = new ApplyOrder(InstanceOrder.Cause.of(change));
        return new Run(List.of(new Step(config.processId(), write, before, order)));
    }

    /** A process id joins texts, so those of two users can make the same one. */
    private static boolean isSameUser(ServerConfig one, ServerConfig other) {
        return one.teamId().equals(other.teamId()) && one.userId().equals(other.userId());
    }

    /**
     * Whether the instance was configured after the command for every user was appended, or after
     * an earlier owner had accepted the command. Offsets of another topic, or of this one before it
     * was deleted and made again, are older and not compared.
     */
    private static boolean overtook(
            DesiredInstance instance, CommandRead read, PartitionState state) {
        var copyOf = read.copyOf();
        var configuredAt = instance.record().configuredAt();
        if (copyOf != null && configuredAt != null) {
            return configuredAt.isAfter(copyOf.appendedAt());
        }
        var accepted = state.command(CommandMemory.nameOf(read));
        return accepted != null
                && accepted.origin().equals(read.origin())
                && instance.record().origin().topic().equals(read.origin().topic())
                && instance.record().origin().offset() > read.origin().offset();
    }

    private static Step intent(DesiredInstance instance, boolean stopped, Order order) {
        boolean same = instance.record().stopped() == stopped;
        return new Step(
                instance.processId(), same ? null : instance.withIntent(stopped), instance, order);
    }

    private static Step step(DesiredInstance instance, Order order) {
        return new Step(instance.processId(), null, instance, order);
    }

    private static CommandPlan each(
            List<DesiredInstance> instances,
            Function<DesiredInstance, Step> step,
            CommandAction action) {
        return instances.isEmpty()
                ? aboutNone(action)
                : new Run(instances.stream().map(step).toList());
    }

    private static List<DesiredInstance> of(
            String installationId, List<DesiredInstance> installed) {
        return installed.stream()
                .filter(instance -> instance.config().installationId().equals(installationId))
                .toList();
    }

    /** How a command ends that is about no instance at all. */
    static Answer aboutNone(CommandAction action) {
        return switch (action) {
            case CommandAction.Delete _, CommandAction.RemoveMember _ ->
                    new Answer(CommandOutcome.COMPLETED, NOTHING_REMOVED, null);
            case CommandAction.Recover _ ->
                    new Answer(
                            CommandOutcome.COMPLETED, CommandDetails.note(null, "not found"), null);
            case CommandAction.Configure _,
                    CommandAction.SwitchTool _,
                    CommandAction.Spawn _,
                    CommandAction.Kill _,
                    CommandAction.Restart _,
                    CommandAction.CheckHealth _,
                    CommandAction.Unknown _ ->
                    new Answer(
                            CommandOutcome.FAILED,
                            null,
                            new CommandError(
                                    "not_found",
                                    "There is no such installation: configure it first, or check"
                                            + " installation_id and the record's key"));
        };
    }
}
