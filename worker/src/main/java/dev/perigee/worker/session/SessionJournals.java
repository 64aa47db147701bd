package dev.perigee.worker.session;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.worker.instance.InstanceIdentity;
import dev.perigee.worker.instance.InstanceJournal;
import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.instance.JournalFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The journals of one session and the feed that sends them while a gateway is attached. Any thread
 * may append; who attaches and detaches holds the partition's lock.
 */
final class SessionJournals implements JournalFactory {
    private final Map<String, ProcessJournal> journals = new ConcurrentHashMap<>();
    private final PastJournals past = new PastJournals(PastJournals.WINDOW);
    private final SessionRequests requests;
    private final SessionContext context;
    private volatile @Nullable JournalFeed feed;
    private volatile long epoch = -1;
    private volatile int protocol = LinkVersions.SPOKEN.greatest();

    SessionJournals(SessionRequests requests, SessionContext context) {
        this.requests = requests;
        this.context = context;
    }

    @Override
    public InstanceJournal open(InstanceIdentity identity) {
        var journal =
                journals.compute(
                        identity.processId(),
                        (_, current) -> {
                            var its = current == null ? newJournal(identity) : current;
                            its.revive(identity);
                            return its;
                        });
        return writer(identity, journal);
    }

    /** The journal to which what comes late is written, also when it was retired meanwhile. */
    private ProcessJournal reopen(InstanceIdentity identity) {
        return journals.computeIfAbsent(identity.processId(), _ -> newJournal(identity));
    }

    private void retire(ProcessJournal acknowledged) {
        journals.computeIfPresent(
                acknowledged.identity().processId(),
                (_, current) -> {
                    var nextSeq = current.retire();
                    if (nextSeq == null) {
                        return current;
                    }
                    past.add(current.identity(), nextSeq);
                    return null;
                });
    }

    private ProcessJournal newJournal(InstanceIdentity identity) {
        return new ProcessJournal(
                identity,
                context.options().journal(),
                past.begin(identity.processId()),
                context.journals(),
                context.frames(),
                this::appended);
    }

    private JournalWriter writer(InstanceIdentity identity, ProcessJournal journal) {
        return new JournalWriter(
                identity,
                journal,
                this::reopen,
                context.frames(),
                requests,
                context.metrics(),
                this::epoch,
                () -> protocol);
    }

    private void appended(ProcessJournal journal) {
        var current = feed;
        if (current != null) {
            current.ready(journal);
        }
    }

    /**
     * Publishes a remembered result for one more record.
     *
     * @return false when this session does not know that process, or no more
     */
    boolean repeat(ToolOrder.Execute order, AcceptedRecords.Verdict.Repeat repeat) {
        var journal = journals.get(repeat.processId());
        var about = journal == null ? past.identity(repeat.processId()) : journal.identity();
        if (about == null) {
            return false;
        }
        Journal.Encoder encoder =
                seq -> context.frames().result(about, seq, order, repeat.result());
        boolean appended;
        do {
            appended = reopen(about).append(encoder, order.origin());
        } while (!appended); // Where it was retired just now the next one takes it.
        return true;
    }

    /** Makes a feed the one that sends, from the cursors on. Replaces the one before. */
    void attach(String name, LinkPeer peer, Attach.Request request) {
        detach();
        epoch = request.epoch();
        protocol = peer.protocol();
        var sent = new HashMap<ProcessJournal, Long>();
        for (var cursor : request.cursors()) {
            var journal = journals.get(cursor.processId());
            if (journal != null) {
                sent.put(journal, journal.resumeAfter(cursor.afterSeq()));
            }
        }
        var next = new JournalFeed(name, peer, new Credit(request.creditBytes()), sent);
        // Published before the journals are walked: what is appended meanwhile is then seen by one
        // of both, and being ready twice does no harm.
        feed = next;
        journals.values().forEach(next::ready);
        next.start();
    }

    /** Of the attachment that is, or was the last; -1 before the first. */
    long epoch() {
        return epoch;
    }

    /** Stops sending. */
    void detach() {
        var current = feed;
        feed = null;
        if (current != null) {
            current.stop();
        }
    }

    void acknowledge(SessionNotice.Ack ack) {
        for (var each : ack.acks()) {
            var journal = journals.get(each.processId());
            if (journal != null) {
                requests.acknowledge(journal.acknowledge(each.seq()));
                retire(journal);
            }
        }
    }

    void grant(long bytes) {
        var current = feed;
        if (current != null) {
            current.grant(bytes);
        }
    }

    /** The processes that are here or have something left to say. */
    List<Attach.AttachedProcess> describe(List<InstanceSnapshot> instances) {
        var described = new ArrayList<Attach.AttachedProcess>();
        var left = new HashMap<>(journals);
        for (var instance : instances) {
            var journal = left.remove(instance.identity().processId());
            if (journal != null) {
                described.add(
                        describe(
                                instance.identity(),
                                instance.configHash(),
                                instance.state().wireName(),
                                instance.status(),
                                journal.range()));
            }
        }
        for (var journal : left.values()) {
            var range = journal.range();
            if (!range.isEmpty()) {
                described.add(describe(journal.identity(), null, "removed", null, range));
            }
        }
        return described;
    }

    private static Attach.AttachedProcess describe(
            InstanceIdentity identity,
            @Nullable String configHash,
            String state,
            @Nullable ServerStatus status,
            ProcessJournal.Range range) {
        return new Attach.AttachedProcess(
                identity.processId(),
                identity.startToken(),
                configHash,
                state,
                status,
                range.firstSeq(),
                range.nextSeq(),
                null,
                null);
    }

    int entries() {
        return journals.values().stream().mapToInt(ProcessJournal::entries).sum();
    }

    long bytes() {
        return journals.values().stream().mapToLong(ProcessJournal::bytes).sum();
    }

    /** Drops everything; the session is over. */
    void end() {
        detach();
        journals.values().forEach(ProcessJournal::end);
    }
}
