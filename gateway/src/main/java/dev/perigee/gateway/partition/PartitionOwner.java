package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.Addressee.RequestAuthor;
import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.inbound.Inbound.ReportRead;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.inbound.PartitionFeed;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.gateway.partition.GatewayMetrics.Where;
import dev.perigee.gateway.placement.Hosted;
import dev.perigee.gateway.placement.Move.Manner;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.trace.LogContext;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner of one partition for one tenure: a virtual thread and a mailbox. Everything that
 * happens to the partition happens on that thread, one thing after the other, so nothing of its
 * state is shared.
 *
 * <pre>
 *   claim ──▶ restore ──▶ place ──▶ attach ──▶ give what is wanted ──▶ serve
 *     ▲                     │                                           │
 *     └─────────────────────┴──── fenced, lost, expired ◀───────────────┘
 * </pre>
 *
 * Records that arrive before it serves wait, bounded by the feed. The end of the tenure interrupts
 * the thread at once and detaches the session; the next owner reads uncommitted records again.
 */
final class PartitionOwner {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionOwner.class);
    private static final Duration IDLE = Duration.ofMinutes(1);
    private static final Duration SWEEP = Duration.ofMinutes(10);
    private static final Duration FORGET = Duration.ofMinutes(1);

    /** Mailbox entries handled in one turn, after which outgoing frames are flushed. */
    private static final int MOST_AT_ONCE = 100;

    private final PartitionServices services;
    private final OwnerMailbox mailbox;
    private final PartitionContext context;
    private final ResultPublisher answers;
    private final Quarantine quarantine;
    private final CommandFlow commands;
    private final CallFlow calls;
    private final SessionKeeper sessions;
    private final Thread thread;
    private volatile boolean ended;

    PartitionOwner(PartitionServices services, PartitionFeed feed, Alarm alarm) {
        this.services = services;
        this.mailbox = new OwnerMailbox(alarm);
        this.context = new PartitionContext(services, feed, mailbox);
        this.answers = new ResultPublisher(context);
        this.calls = new CallFlow(context, answers, this::commandsTakenUpTo);
        this.quarantine = new Quarantine(context);
        this.commands = new CommandFlow(context, quarantine, calls::installed);
        this.sessions = new SessionKeeper(context, commands, calls, quarantine);
        this.thread =
                Thread.ofVirtual()
                        .name("partition-" + feed.tenure().partition())
                        .unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    Tenure tenure() {
        return context.feed().tenure();
    }

    /** What the partition is doing, for metrics and readiness. */
    int open(Topic topic) {
        return context.feed().open(topic);
    }

    OwnerState state() {
        return ended ? OwnerState.ENDED : sessions.state();
    }

    /** What keeps it from serving until somebody does something, null when nothing does. */
    @Nullable String problem() {
        return sessions.problem();
    }

    /** Secrets that are not kept as they would be written now. */
    int outdated() {
        return sessions.outdated();
    }

    /** How many instances do not run, or are on trial, since workers died under them. */
    int quarantined() {
        return quarantine.suspects();
    }

    /** Ends the tenure: returns at once, the rest happens on other threads. */
    void end() {
        mailbox.close();
        thread.interrupt();
        ended = true; // Last: an interrupt that comes after it would end the wait for the worker.
    }

    /** True when nothing of the tenure is left. */
    boolean hasEnded() {
        return !thread.isAlive();
    }

    /** Waits until everything of the tenure has ended; false when it did not in time. */
    boolean awaitEnd(Duration atMost) throws InterruptedException {
        return thread.join(atMost);
    }

    /** Records arrived; any thread. */
    void records(Topic topic, List<ConsumerRecord<byte[], byte[]>> records, long nextOffset) {
        services.metrics().received(services.names().of(topic), records.size());
        mailbox.post(
                () -> {
                    try {
                        InterruptDeferral.run(() -> take(topic, records, nextOffset));
                    } finally {
                        context.feed().looked(records);
                    }
                });
    }

    /** The group committed this offset of tool-requests: none below is read again; any thread. */
    void committed(long offset) {
        mailbox.post(
                () -> {
                    calls.committed(offset);
                    sessions.committed(Topic.TOOL_REQUESTS, offset);
                });
    }

    /** Where the partition is served; any thread. */
    Hosted hosted() {
        return sessions.hosted();
    }

    /** The recorded host, which may run the partition's processes; any thread. */
    @Nullable String host() {
        return sessions.host();
    }

    /** Leaves the worker; any thread. */
    void move(Manner manner, Departure.Listener listener) {
        mailbox.post(() -> sessions.move(manner, listener));
    }

    /** A worker came, went or changed; any thread. */
    void workersChanged() {
        mailbox.post(
                () -> {
                    quarantine.workersChanged();
                    sessions.look();
                });
    }

    private void run() {
        LogContext.put(LogContext.PARTITION, tenure().partition());
        try {
            sessions.begin();
            perform(() -> InterruptDeferral.run(this::sweep));
            perform(this::forget);
            while (!ended) {
                var work = mailbox.take(context.timers().untilNext(IDLE));
                for (int i = 0; work != null && i < MOST_AT_ONCE; i++) {
                    perform(work);
                    work = mailbox.poll();
                }
                if (work != null) {
                    perform(work);
                }
                perform(context.timers()::run);
                perform(sessions::endTurn);
            }
        } catch (InterruptedException | InterruptException e) {
            LOG.atDebug()
                    .addKeyValue("partition", tenure().partition())
                    .log("The owner was interrupted");
        } finally {
            ended = true;
            mailbox.close();
            Thread.interrupted();
            leave();
        }
    }

    private void leave() {
        try {
            sessions.leave();
        } finally {
            calls.leave();
            services.installations().forget(tenure());
        }
    }

    private void perform(Runnable work) throws InterruptedException {
        try {
            work.run();
        } catch (InterruptException e) {
            throw e;
        } catch (RuntimeException e) {
            services.metrics().failure(Where.OWNER);
            LOG.atError()
                    .addKeyValue("partition", tenure().partition())
                    .setCause(e)
                    .log("Unexpected error in a partition; continuing");
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private void take(Topic topic, List<ConsumerRecord<byte[], byte[]>> records, long nextOffset)
            throws InterruptedException {
        for (var record : records) {
            try {
                take(topic, record);
            } catch (InterruptException e) {
                throw e;
            } catch (RuntimeException e) {
                services.metrics().failure(Where.RECORD);
                var origin = new RecordOrigin(record.topic(), record.partition(), record.offset());
                LOG.atError()
                        .addKeyValue("origin", origin.toString())
                        .setCause(e)
                        .log("Failed to handle a record; sent to dead letters");
                reject(
                        topic,
                        record,
                        services.reader()
                                .refuse(
                                        topic,
                                        record,
                                        DeadLetterReason.INVALID,
                                        "the gateway failed on it, see its log"));
            }
        }
        if (topic == Topic.COMMANDS) {
            commands.arrivedUpTo(nextOffset);
        }
    }

    private void take(Topic topic, ConsumerRecord<byte[], byte[]> record)
            throws InterruptedException {
        var name = context.feed().linkName(topic, record.topic());
        switch (services.reader().read(topic, record, name)) {
            case CommandRead command -> commands.received(command);
            case RequestRead request -> calls.received(request);
            case ReportRead report -> commands.reported(report);
            case Rejected rejected -> {
                if (topic == Topic.TOOL_REQUESTS && calls.isDone(record.offset())) {
                    requestDone(rejected);
                } else {
                    reject(topic, record, rejected);
                }
            }
        }
    }

    private void reject(Topic topic, ConsumerRecord<byte[], byte[]> record, Rejected rejected) {
        services.deadLetters()
                .put(
                        rejected,
                        record,
                        context.feed().lease(),
                        () -> mailbox.post(() -> answer(topic, rejected)));
    }

    private void answer(Topic topic, Rejected rejected) {
        if (topic == Topic.COMMANDS) {
            InterruptDeferral.run(() -> commands.rejected(rejected));
        } else if (rejected.addressee() instanceof RequestAuthor author) {
            answers.reject(rejected, author, _ -> requestDone(rejected));
        } else {
            requestDone(rejected);
        }
    }

    private void requestDone(Rejected rejected) {
        context.feed().done(Topic.TOOL_REQUESTS, rejected.origin().offset());
    }

    private boolean commandsTakenUpTo(long offset) {
        return commands.hasTakenUpTo(offset);
    }

    private void forget() {
        context.timers().after(FORGET, this::forget);
        calls.forget();
        quarantine.sweep();
    }

    private void sweep() throws InterruptedException {
        context.timers().after(SWEEP, () -> InterruptDeferral.run(this::sweep));
        var before = services.clock().instant().minus(services.times().commandMemory());
        var forgotten =
                context.state().forgetCommandsBefore(before).stream()
                        .map(context.stateTopic()::noCommand)
                        .toList();
        if (!forgotten.isEmpty()) {
            context.writer().write(forgotten, _ -> {});
        }
    }
}
