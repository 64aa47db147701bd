package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.Addressee.CommandAuthor;
import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.partition.CommandPlan.Answer;
import dev.perigee.gateway.partition.CommandPlan.Run;
import dev.perigee.gateway.partition.CommandPlan.Step;
import dev.perigee.gateway.partition.StateRecord.Remembered;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
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
 * their records, and outcomes are not waited for.
 */
final class CommandFlow {
    private static final Logger LOG = LoggerFactory.getLogger(CommandFlow.class);

    private final PartitionContext context;
    private final CommandRecords records;
    private final OrderDesk orders;
    private final Runnable installed;
    private final Deque<CommandRead> waiting = new ArrayDeque<>();
    private final Set<String> accepting = new HashSet<>();
    private final Set<String> underWay = new HashSet<>();
    private long taken = -1;

    /**
     * @param installed runs when what is wanted of an instance may have changed
     */
    CommandFlow(PartitionContext context, Runnable installed) {
        this.context = context;
        this.records = new CommandRecords(context);
        this.orders = new OrderDesk(context, this::ended);
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
        var id = read.command().id();
        var known = context.state().command(id);
        boolean ours = known != null && known.origin().equals(read.origin());
        if (underWay.contains(id) || (known != null && (!ours || known.outcome() != null))) {
            context.services().metrics().duplicate("commands");
            LOG.atInfo().addKeyValue("command_id", id).log("Command came before, not run again");
            done(read.origin(), List.of());
        } else if (!ours && isExpired(read)) {
            end(read, null, new Answer(CommandOutcome.EXPIRED, null, null), List.of());
        } else {
            underWay.add(id);
            waiting.add(read);
            pump();
        }
    }

    /** A command that cannot be acted on and whose dead letter is safe. */
    void rejected(Rejected rejected) throws InterruptedException {
        if (!(rejected.addressee() instanceof CommandAuthor author)) {
            done(rejected.origin(), List.of());
            return;
        }
        boolean unsupported = rejected.reason() == DeadLetterReason.UNSUPPORTED;
        var answer =
                new Answer(
                        unsupported ? CommandOutcome.FAILED : CommandOutcome.REJECTED,
                        null,
                        new CommandError(
                                unsupported ? "unsupported" : "invalid", rejected.detail()));
        context.services().metrics().commandEnded(answer.outcome());
        done(rejected.origin(), List.of(records.rejected(rejected, author, answer)));
    }

    private boolean isExpired(CommandRead read) {
        var expiry = read.command().expiresAt();
        return expiry != null && expiry.isBefore(context.services().clock().instant());
    }

    private void pump() throws InterruptedException {
        for (var read = waiting.peek(); read != null && mayBegin(read); read = waiting.peek()) {
            waiting.remove();
            switch (CommandPlanner.plan(read, context.state(), orders::isRemoving)) {
                case Answer answer -> end(read, null, answer, List.of());
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

    private void accept(CommandRead read, List<Step> steps) throws InterruptedException {
        var writes = new ArrayList<ProducerRecord<byte[], byte[]>>();
        var processes = new ArrayList<String>();
        for (var step : steps) {
            processes.add(step.processId());
            if (step.write() != null) {
                writes.add(context.stateTopic().instance(step.write()));
            }
        }
        if (context.state().command(read.command().id()) == null) {
            writes.add(records.acknowledged(read, steps));
            writes.add(remember(read, null));
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
                            processes.forEach(accepting::remove);
                            Quietly.run(
                                    () -> {
                                        accepted(read, steps, offsets);
                                        pump();
                                    });
                        },
                        () -> {
                            processes.forEach(accepting::remove);
                            Quietly.run(
                                    () -> {
                                        end(read, null, tooLarge(), List.of());
                                        pump();
                                    });
                        });
    }

    private void accepted(CommandRead read, List<Step> steps, List<Long> offsets)
            throws InterruptedException {
        var parts = new ArrayList<RunningCommand.Part>();
        int written = 0;
        for (var step : steps) {
            var target = step.before();
            if (step.write() != null) {
                target = Instance.of(step.write(), offsets.get(written++));
                context.state().install(target);
            }
            parts.add(
                    new RunningCommand.Part(
                            step, Objects.requireNonNull(target, "written or there before")));
        }
        orders.add(new RunningCommand(read, parts, context.services().clock().instant()));
    }

    private void ended(RunningCommand command) throws InterruptedException {
        var aftermath = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var part : command.parts()) {
            aftermath.addAll(Aftermath.of(part, command.outcome(part), context));
        }
        end(command.read(), command.processId(), command.result(), aftermath);
    }

    private void end(
            CommandRead read,
            @Nullable String processId,
            Answer answer,
            List<ProducerRecord<byte[], byte[]>> aftermath)
            throws InterruptedException {
        var id = read.command().id();
        underWay.remove(id);
        var writes = new ArrayList<>(aftermath);
        writes.add(records.ended(read, processId, answer));
        writes.add(remember(read, answer.outcome()));
        context.services().metrics().commandEnded(answer.outcome());
        LOG.atInfo()
                .addKeyValue("command_id", id)
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

    private ProducerRecord<byte[], byte[]> remember(
            CommandRead read, @Nullable CommandOutcome outcome) {
        var remembered =
                new Remembered(read.origin(), outcome, context.services().clock().instant());
        context.state().remember(read.command().id(), remembered);
        return context.stateTopic().command(read.command().id(), remembered);
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
