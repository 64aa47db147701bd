package dev.perigee.gateway.partition;

import dev.perigee.gateway.outbound.Delivery;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.SessionNotice.Ack;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries of a worker's journals, from the link to Kafka and their acknowledgement back. An entry
 * is settled when its public record and what it changes in the state topic are both durable. On a
 * session being released nothing is acknowledged before its requests' offsets are committed: with
 * the last acknowledgement the worker forgets them. For the owner's thread, so that the entries of
 * a process keep their order.
 */
final class EventFlow {
    private static final Logger LOG = LoggerFactory.getLogger(EventFlow.class);

    /**
     * Longest delay of an acknowledgement: a frame for each entry would cost as much as the entry.
     */
    private static final Duration SOON = Duration.ofMillis(10);

    /** Credit that is sent without a delay, long before the worker has none. */
    private static final long MUCH_CREDIT = 64 << 10;

    private final PartitionContext context;
    private final CallFlow calls;
    private Timers.@Nullable Entry telling;
    private long requestsDone;

    EventFlow(PartitionContext context, CallFlow calls) {
        this.context = context;
        this.calls = calls;
    }

    /** An entry arrived on the session that the owner has. */
    void received(Session session, InstanceEvent event, int creditBytes)
            throws InterruptedException {
        session.acknowledgements().arrived(event.processId(), event.seq());
        calls.received(event);
        var type = EventType.of(event.type());
        noteAwake(session, event.processId(), type);
        var entry = new Entry(session, event, creditBytes);
        var durable = event.durable();
        if (durable != null && type != EventType.REMOVED) {
            context.state().remember(event.processId(), durable);
        }
        switch (type) {
            case null -> {
                LOG.atWarn()
                        .addKeyValue("type", event.type())
                        .addKeyValue("worker_id", session.link().workerId())
                        .log("Event of an unknown type dropped: update this gateway");
                entry.oneDone();
            }
            case TOOL_RESULT -> {
                entry.awaitState(durable != null);
                calls.result(event, session.createdEpoch(), () -> answered(entry));
            }
            case STATUS_CHANGED, TOOLS_DISCOVERED, CATALOG -> {
                var writes = new ArrayList<ProducerRecord<byte[], byte[]>>();
                writes.add(context.services().records().event(type, event, session.createdEpoch()));
                if (durable != null) {
                    writes.add(context.stateTopic().runtime(event.processId(), durable));
                }
                writeState(writes, entry);
            }
            case REMOVED -> removed(event, entry);
            case CALL_PROGRESS, CALL_LOG, CALL_INPUT_REQUIRED, CALL_TASK -> {
                entry.awaitState(durable != null);
                if (calls.tells(event, type == EventType.CALL_PROGRESS)) {
                    publish(type, event, session, entry);
                } else {
                    entry.oneDone();
                }
            }
            case STARTED,
                    CRASHED,
                    RESTARTED,
                    PERMANENTLY_FAILED,
                    DORMANT,
                    RESPAWNED,
                    EXITED,
                    STOPPED,
                    LOGS,
                    LOG_RATE_LIMIT_EXCEEDED,
                    REQUEST_LOGS,
                    USAGE,
                    RESOURCE_UPDATED,
                    LIST_CHANGED,
                    NOTIFICATION,
                    SUBSCRIPTIONS,
                    AUTHORIZATION,
                    TOOLS_UPDATED -> {
                entry.awaitState(durable != null);
                publish(type, event, session, entry);
            }
        }
        if (durable != null && entry.isAwaitingState()) {
            writeState(List.of(context.stateTopic().runtime(event.processId(), durable)), entry);
        }
    }

    private void noteAwake(Session session, String processId, @Nullable EventType type) {
        switch (type) {
            case STARTED, RESTARTED, RESPAWNED ->
                    session.awake().runs(processId, context.services().clock().instant());
            case DORMANT, EXITED, STOPPED, PERMANENTLY_FAILED, REMOVED ->
                    session.awake().asleep(processId);
            case null -> {}
            case STATUS_CHANGED,
                    CRASHED,
                    LOGS,
                    LOG_RATE_LIMIT_EXCEEDED,
                    REQUEST_LOGS,
                    CALL_PROGRESS,
                    CALL_LOG,
                    CALL_INPUT_REQUIRED,
                    CALL_TASK,
                    RESOURCE_UPDATED,
                    LIST_CHANGED,
                    NOTIFICATION,
                    SUBSCRIPTIONS,
                    AUTHORIZATION,
                    TOOLS_DISCOVERED,
                    CATALOG,
                    USAGE,
                    TOOLS_UPDATED,
                    TOOL_RESULT -> {}
        }
    }

    private void answered(Entry entry) {
        entry.oneDone();
        requestsDone = context.feed().requestsDone();
        if (entry.session.isReleasing()) {
            context.feed().commitSoon();
        }
    }

    private boolean isHeldBack(Session session) {
        return session.isReleasing() && !context.feed().isCommitted(requestsDone);
    }

    /** Acknowledges what became durable, together with what becomes durable within the delay. */
    void acknowledge() {
        var session = context.session();
        if (session == null) {
            return;
        }
        if (session.isReleasing()) {
            session.acknowledgements().forgetKept();
        }
        if (session.acknowledgements().credit() >= MUCH_CREDIT) {
            tell();
        } else if (telling == null
                && session.acknowledgements().hasChanged()
                && !isHeldBack(session)) {
            telling = context.timers().after(SOON, this::tell);
        }
    }

    /** Sends the acknowledgements of what became durable since the last time, and credit. */
    void tell() {
        if (telling != null) {
            telling.cancel();
            telling = null;
        }
        var session = context.session();
        if (session == null) {
            return;
        }
        if (!isHeldBack(session)) {
            var acks = session.acknowledgements().takeAcks();
            if (!acks.isEmpty()) {
                session.link().ack(new Ack(context.partition(), acks));
            }
        }
        long credit = session.acknowledgements().takeCredit();
        if (credit > 0) {
            session.link().credit(credit);
        }
    }

    private void removed(InstanceEvent event, Entry entry) throws InterruptedException {
        var current = context.state().instance(event.processId());
        if (current != null && current.startToken() > event.startToken()) {
            entry.oneDone();
            return;
        }
        var records = context.services().records();
        context.state().remove(event.processId());
        writeState(
                List.of(
                        records.tombstone(Topic.STATUS, context.partition(), event.processId()),
                        records.tombstone(Topic.TOOLS, context.partition(), event.processId()),
                        records.tombstone(Topic.CATALOG, context.partition(), event.processId()),
                        context.stateTopic().noInstance(event.processId()),
                        context.stateTopic().noRuntime(event.processId()),
                        context.stateTopic().suspicion(event.processId(), Suspicion.NONE)),
                entry);
    }

    private void writeState(List<ProducerRecord<byte[], byte[]>> writes, Entry entry)
            throws InterruptedException {
        var part = entry.part();
        context.writer()
                .writeSoon(
                        writes,
                        _ -> part.done(),
                        part::kept,
                        () -> {
                            LOG.atError()
                                    .addKeyValue("process_id", entry.event.processId())
                                    .addKeyValue("partition", context.partition())
                                    .addKeyValue("epoch", epoch(entry.session))
                                    .addKeyValue("type", entry.event.type())
                                    .log("Event too large for its topic; dropped");
                            part.done();
                        });
    }

    private void publish(EventType type, InstanceEvent event, Session session, Entry entry) {
        var record = context.services().records().event(type, event, session.createdEpoch());
        var reply = type.topic() == Topic.CALL_EVENTS ? event.reply() : null;
        var part = entry.part();
        context.services()
                .fast()
                .publish(
                        record,
                        new Delivery() {
                            @Override
                            public boolean isFenced() {
                                return !context.feed().lease().isHeld();
                            }

                            @Override
                            public void delivered() {
                                Runnable done = () -> context.mailbox().postSoon(part::done);
                                if (reply == null) {
                                    done.run();
                                } else {
                                    context.services().replies().send(reply, record, done);
                                }
                            }

                            @Override
                            public void kept() {
                                context.mailbox().postSoon(part::kept);
                            }

                            @Override
                            public void tooLarge() {
                                LOG.atError()
                                        .addKeyValue("process_id", event.processId())
                                        .addKeyValue("partition", context.partition())
                                        .addKeyValue("epoch", epoch(session))
                                        .addKeyValue("type", event.type())
                                        .log("Event too large for its topic; dropped");
                                context.mailbox().post(part::done);
                            }
                        });
    }

    private static long epoch(Session session) {
        return session.link().claim().epoch();
    }

    /** An entry until it is settled; for the owner's thread. */
    private static final class Entry {
        private final Session session;
        private final InstanceEvent event;
        private int creditBytes;
        private boolean awaitsState;
        private int left = 1;
        private int held;
        private boolean isCreditReturned;

        Entry(Session session, InstanceEvent event, int creditBytes) {
            this.session = session;
            this.event = event;
            this.creditBytes = creditBytes;
        }

        void awaitState(boolean await) {
            if (await) {
                awaitsState = true;
                left++;
            }
        }

        boolean isAwaitingState() {
            return awaitsState;
        }

        /** One of the records that it waits for. */
        Part part() {
            return new Part();
        }

        void oneDone() {
            if (--left == 0) {
                session.acknowledgements().settled(event.processId(), event.seq(), creditBytes);
            } else {
                returnCreditIfKept();
            }
        }

        /** Returns the credit of an entry whose open records are all kept for unwritable topics. */
        private void returnCreditIfKept() {
            if (held > 0 && held == left && !isCreditReturned) {
                isCreditReturned = true;
                session.acknowledgements().kept(event.processId(), event.seq(), creditBytes);
                creditBytes = 0;
            }
        }

        /** A record on its way to its topic. */
        private final class Part {
            private boolean isKept;

            /** It is kept for a topic that cannot be written. */
            void kept() {
                if (!isKept) {
                    isKept = true;
                    held++;
                    returnCreditIfKept();
                }
            }

            void done() {
                if (isKept) {
                    held--;
                }
                oneDone();
            }
        }
    }
}
