package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.Addressee.CommandAuthor;
import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.inbound.Inbound.ReportRead;
import dev.perigee.gateway.partition.CommandPlan.Answer;
import dev.perigee.gateway.partition.CommandPlan.Run;
import dev.perigee.gateway.partition.CommandPlan.Step;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands of one partition, from their record to their one terminal result. For the owner's
 * thread.
 *
 * <pre>
 *   record ──▶ waiting ──▶ accepting ──────────────▶ running ──────────▶ ended
 *                │         transaction: what is      orders are sent     transaction: result,
 *                │         wanted, acknowledged      in this order       tombstones, offset
 *                └──▶ expired, rejected, not found, repeated ──────────▶ ended
 * </pre>
 *
 * A command waits only for the acceptance of those that it could be about: a configuration for the
 * same instance, everything else for all. So commands take effect per instance in the order of
 * their records, and outcomes are not waited for. Commands for every user of a team go another way:
 * see {@link BroadcastFlow}.
 */
final class CommandFlow {
    private static final Logger LOG = LoggerFactory.getLogger(CommandFlow.class);

    private final PartitionContext context;
    private final CommandRecords records;
    private final CommandMemory memory;
    private final BroadcastFlow broadcasts;
    private final OrderDispatcher orders;
    private final Quarantine quarantine;
    private final Runnable installed;
    private final Deque<CommandRead> waiting = new ArrayDeque<>();
    private final Set<String> accepting = new HashSet<>();
    private final Map<String, ServerConfig> arriving = new HashMap<>();
    private final Set<String> underWay = new HashSet<>();
    private long taken = -1;

    /**
     * @param installed runs when what is wanted of an instance may have changed
     */
    CommandFlow(PartitionContext context, Quarantine quarantine, Runnable installed) {
        this.context = context;
        this.quarantine = quarantine;
        this.records = new CommandRecords(context);
        this.memory = new CommandMemory(context);
        this.broadcasts = new BroadcastFlow(context, records, memory);
        this.orders = new OrderDispatcher(context, quarantine, this::ended);
        this.installed = installed;
    }

    /** Every command below this offset was accepted or ended. */
    boolean hasTakenUpTo(long offset) {
        return waiting.isEmpty() && accepting.isEmpty() && taken >= offset;
    }

    /** Nothing below this offset is still to come. */
    void arrivedUpTo(long offset) throws InterruptedException {
        taken = Math.max(taken, offset);
        installed.run();
    }

    /** Commands may be sent to the session that now serves. */
    void serving() throws InterruptedException {
        orders.sendAll();
    }

    /** A command that can be acted on. */
    void received(CommandRead read) throws InterruptedException {
        var name = CommandMemory.nameOf(read);
        var known = memory.of(read);
        boolean ours = known != null && known.origin().equals(read.origin());
        if (underWay.contains(name) || (known != null && (!ours || known.outcome() != null))) {
            context.services().metrics().duplicate("commands");
            LOG.atInfo().addKeyValue("command_id", name).log("Repeated command; not run again");
            done(read.origin(), List.of());
        } else if (!ours && isExpired(read)) {
            end(read, null, new Answer(CommandOutcome.EXPIRED, null, null));
        } else if (read.isBroadcast()) {
            done(read.origin(), broadcasts.begin(read));
        } else {
            underWay.add(name);
            waiting.add(read);
            pump();
        }
    }

    /** What became of another partition's copy of a command for every user. */
    void reported(ReportRead read) throws InterruptedException {
        done(read.origin(), broadcasts.reported(read.report()));
    }

    /**
     * A command that cannot be acted on and whose dead letter is safe. A configuration that cannot
     * be used is rejected; what else cannot be done has failed.
     */
    void rejected(Rejected rejected) throws InterruptedException {
        if (!(rejected.addressee() instanceof CommandAuthor author)) {
            done(rejected.origin(), List.of());
            return;
        }
        boolean unsupported = rejected.reason() == DeadLetterReason.UNSUPPORTED;
        var answer =
                new Answer(
                        author.configured() && !unsupported
                                ? CommandOutcome.REJECTED
                                : CommandOutcome.FAILED,
                        null,
                        new CommandError(
                                unsupported ? "unsupported" : "invalid", rejected.detail()));
        context.services().metrics().commandEnded(answer.outcome());
        done(rejected.origin(), List.of(records.rejected(rejected, author, answer)));
    }

    private boolean isExpired(CommandRead read) {
        var expiry = read.command().expiresAt();
        boolean decided = read.copyOf() != null; // When the original was accepted.
        return !decided && expiry != null && expiry.isBefore(context.services().clock().instant());
    }

    private void pump() throws InterruptedException {
        for (var read = waiting.peek(); read != null && mayBegin(read); read = waiting.peek()) {
            waiting.remove();
            switch (CommandPlanner.plan(read, context.state(), orders::isRemoving, this::refusal)) {
                case Answer answer -> end(read, null, answer);
                case Run(var steps) -> accept(read, steps);
            }
        }
        installed.run();
    }

    private boolean mayBegin(CommandRead read) {
        return read.action() instanceof CommandAction.Configure(var _, var config)
                ? !accepting.contains(config.processId())
                : accepting.isEmpty();
    }

    /** Why there cannot be one more, null where there can. */
    private @Nullable CommandError refusal(ServerConfig config) {
        var taken = context.services().processIds().refusal(config);
        if (taken != null) {
            return taken;
        }
        var ofTeam =
                arriving.values().stream()
                        .filter(other -> other.teamId().equals(config.teamId()))
                        .toList();
        long ofUser =
                ofTeam.stream().filter(other -> other.userId().equals(config.userId())).count();
        int installed = context.state().instancesOf(config.teamId(), config.userId()).size();
        return context.services()
                .installations()
                .refusal(config.teamId(), installed + (int) ofUser, ofTeam.size());
    }

    private void accept(CommandRead read, List<Step> steps) throws InterruptedException {
        var writes = new ArrayList<ProducerRecord<byte[], byte[]>>();
        var processes = new ArrayList<String>();
        for (var step : steps) {
            processes.add(step.processId());
            if (step.write() != null) {
                writes.add(context.stateTopic().instance(step.write()));
                if (step.before() == null) {
                    arriving.put(step.processId(), step.write().config());
                }
            }
        }
        if (memory.of(read) == null) {
            if (read.copyOf() == null) {
                writes.add(records.acknowledged(read, steps));
            }
            writes.add(memory.keep(read, null));
            writes.addAll(quarantine.commanded(steps));
        }
        if (writes.isEmpty()) {
            accepted(read, steps, List.of());
            return;
        }
        accepting.addAll(processes);
        context.writer()
                .write(
                        writes,
                        offsets -> {
                            settled(processes);
                            InterruptDeferral.run(
                                    () -> {
                                        accepted(read, steps, offsets);
                                        pump();
                                    });
                        },
                        () -> {
                            settled(processes);
                            InterruptDeferral.run(
                                    () -> {
                                        end(read, null, tooLarge());
                                        pump();
                                    });
                        });
    }

    private void settled(List<String> processes) {
        processes.forEach(accepting::remove);
        processes.forEach(arriving::remove);
    }

    private void accepted(CommandRead read, List<Step> steps, List<Long> offsets)
            throws InterruptedException {
        var parts = new ArrayList<RunningCommand.Part>();
        int written = 0;
        quarantine.accepted(steps);
        for (var step : steps) {
            var target = step.before();
            if (step.write() != null) {
                target = DesiredInstance.of(step.write(), offsets.get(written++));
                context.state().install(target);
            }
            parts.add(
                    new RunningCommand.Part(
                            step, Objects.requireNonNull(target, "written or there before")));
        }
        orders.add(new RunningCommand(read, parts, context.services().clock().instant()));
        quarantine.proceed();
    }

    private void ended(RunningCommand command) throws InterruptedException {
        var consequences = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var part : command.parts()) {
            consequences.addAll(OrderConsequences.of(part, command.outcome(part), context));
        }
        end(
                command.read(),
                command.processId(),
                command.result(),
                command.outcomes(),
                consequences);
    }

    private void end(CommandRead read, @Nullable String processId, Answer answer)
            throws InterruptedException {
        end(read, processId, answer, List.of(), List.of());
    }

    private void end(
            CommandRead read,
            @Nullable String processId,
            Answer answer,
            List<Outcome> outcomes,
            List<ProducerRecord<byte[], byte[]>> consequences)
            throws InterruptedException {
        underWay.remove(CommandMemory.nameOf(read));
        var writes = new ArrayList<>(consequences);
        if (read.copyOf() == null) {
            writes.add(records.ended(read, processId, answer));
            context.services().metrics().commandEnded(answer.outcome());
        } else {
            writes.add(broadcasts.report(read, read.copyOf(), outcomes));
        }
        writes.add(memory.keep(read, answer.outcome()));
        LOG.atInfo()
                .addKeyValue("command_id", CommandMemory.nameOf(read))
                .addKeyValue("process_id", processId)
                .addKeyValue("outcome", answer.outcome())
                .log("Command ended");
        done(read.origin(), writes);
        installed.run();
    }

    private void done(RecordOrigin origin, List<ProducerRecord<byte[], byte[]>> writes)
            throws InterruptedException {
        context.feed().done(Topic.COMMANDS, origin.offset());
        context.writer().write(writes, _ -> {});
    }

    private static Answer tooLarge() {
        return new Answer(
                CommandOutcome.FAILED,
                null,
                new CommandError(
                        "invalid",
                        "The configuration is too large to be kept: shorten args, env or headers"));
    }
}
