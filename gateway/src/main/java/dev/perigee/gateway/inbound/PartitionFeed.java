package dev.perigee.gateway.inbound;

import dev.perigee.protocol.topic.Topic;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Input of one partition's owner during one tenure: the open offsets of the two topics, and
 * backpressure on both. Commands' offsets are committed by the owner in its transactions, tool
 * requests' by the poll loop, see {@link RequestLedger}. Thread-safe.
 */
public final class PartitionFeed {
    /** Tasks for the poll thread, each of which wakes the consumer. */
    interface PollThread {
        /** Resumes a paused topic. */
        void resume(PartitionFeed feed, Topic topic);

        /** Commits now, since an offset is waited for. */
        void commit();
    }

    private final Tenure tenure;
    private final OffsetTracker commands;
    private final OffsetTracker requests;
    private final Intake.Share unread;
    private final PollThread pollThread;
    private final long gainedAt;
    private final TenureLease lease;
    private volatile boolean silenced;
    private volatile boolean commandsPaused;
    private volatile boolean requestsPaused;
    private volatile @Nullable RequestLedger ledger;
    private final Map<Topic, String> linkNames;
    private final OpenAnswers answers = new OpenAnswers();
    private long commandsHanded = -1;
    private long requestsHanded = -1;

    /**
     * @param gainedAt since when no other gateway has had the partition, by the lease's clock
     * @param linkNames what workers know the topics by, where it is not their names
     */
    PartitionFeed(
            Tenure tenure,
            long gainedAt,
            TenureLease lease,
            FeedLimits limits,
            Intake.Share unread,
            PollThread pollThread,
            Map<Topic, String> linkNames) {
        this.tenure = tenure;
        this.gainedAt = gainedAt;
        this.lease = lease;
        this.linkNames = Map.copyOf(linkNames);
        this.unread = unread;
        this.commands = new OffsetTracker(limits.maxRecords(), limits.maxBytes());
        this.requests = new OffsetTracker(limits.maxRecords(), limits.maxBytes());
        this.pollThread = pollThread;
    }

    /** The ownership that this belongs to. */
    public Tenure tenure() {
        return tenure;
    }

    /** What workers know a topic by, if that is another name than its own. */
    public String linkName(Topic topic, String name) {
        return linkNames.getOrDefault(topic, name);
    }

    /** Since when no other gateway has had the partition, by the lease's clock. */
    public long gainedAt() {
        return gainedAt;
    }

    /** Lease of the tenure: its owner publishes only while it is held. */
    public TenureLease lease() {
        return lease;
    }

    /**
     * The lease ran out, or the partition was lost: its owner abandons the session without a detach
     * and publishes nothing.
     */
    void silence() {
        silenced = true;
        lease.end();
    }

    /**
     * True when the tenure ended without a handover. Maybe no gateway has the partition then, so
     * that its processes are left as they are, until the worker's lease is over, too.
     */
    public boolean isSilenced() {
        return silenced;
    }

    /** Everything below is done; -1 while nothing is known. */
    public long settled(Topic topic) {
        return tracker(topic).settled();
    }

    /** How many records have arrived and are not done. */
    public int open(Topic topic) {
        return tracker(topic).openEntries();
    }

    /** What this record stands for is done. False when it was done already. */
    public boolean done(Topic topic, long offset) {
        var tracker = tracker(topic);
        boolean known = tracker.complete(offset);
        resumeIfRoom(topic);
        return known;
    }

    /** A request is done whose record may not have been read yet. */
    public void requestDoneEarly(long offset) {
        requests.completeEarly(offset);
        resumeIfRoom(Topic.TOOL_REQUESTS);
    }

    /**
     * An answer is about to be handed to a producer; {@link #answered} follows once its request is
     * {@link #done}. False when the tenure is about to end: the next owner gives the answer.
     */
    public boolean mayAnswer() {
        return answers.begin();
    }

    /** An answer that {@link #mayAnswer} let begin is done. */
    public void answered() {
        answers.end();
    }

    OpenAnswers answers() {
        return answers;
    }

    /**
     * The owner has looked at records that were handed over together, and keeps of them what is
     * counted elsewhere.
     */
    public void looked(List<ConsumerRecord<byte[], byte[]>> records) {
        unread.give(bytes(records));
        resumeIfRoom(Topic.COMMANDS);
        resumeIfRoom(Topic.TOOL_REQUESTS);
    }

    private void resumeIfRoom(Topic topic) {
        if (isPaused(topic) && mayResume(topic)) {
            pollThread.resume(this, topic);
        }
    }

    /** True when a topic that is paused may be read on. */
    boolean mayResume(Topic topic) {
        return tracker(topic).hasRoom() && unread.mayRead();
    }

    /** True when nothing more of a topic should be read. */
    boolean isFull(Topic topic) {
        return tracker(topic).isFull() || !unread.mayRead();
    }

    /** Records go to the owner. */
    void handedOver(List<ConsumerRecord<byte[], byte[]>> records) {
        unread.take(bytes(records));
    }

    private static long bytes(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().mapToLong(Intake::size).sum();
    }

    /** The tenure is over; what the owner has not looked at it never will. */
    void end() {
        lease.end();
        unread.close();
    }

    /** Nothing below this offset is still to come. */
    public void startAt(Topic topic, long offset) {
        tracker(topic).advanceTo(offset);
    }

    /**
     * Resumes requests at the progress of an earlier owner; commits nothing before. Called once.
     *
     * @param committed everything below is done
     * @param end of the requests when the earlier owner certainly sent no more
     */
    public void continueRequests(long committed, RequestProgress earlier, long end) {
        requests.advanceTo(committed);
        ledger = new RequestLedger(requests, earlier, end);
    }

    /** True once it was told where an earlier owner left off. */
    public boolean hasContinued() {
        return ledger != null;
    }

    /**
     * Whether the request may be sent to a worker now; it counts as sent then. When not, asking is
     * worth while after the next commit.
     */
    public boolean mayDispatch(long offset) {
        var known = ledger;
        return known != null && known.mayDispatch(offset);
    }

    /** There is a session, which that epoch created; requests can be sent after the next commit. */
    public void attached(long createdEpoch) {
        var known = ledger;
        if (known != null) {
            known.attached(createdEpoch);
            if (known.isUrgent()) {
                pollThread.commit();
            }
        }
    }

    /** How many requests were done in this tenure. */
    public long requestsDone() {
        return requests.completions();
    }

    /**
     * Whether the group knows that the first so many requests are done: a next owner then knows it,
     * too. Asking is worth while after each commit.
     */
    public boolean isCommitted(long requestsDone) {
        var known = ledger;
        return known != null && known.isNoted(requestsDone);
    }

    /** Commits soon what is done. */
    public void commitSoon() {
        var known = ledger;
        if (known != null) {
            known.want();
            pollThread.commit();
        }
    }

    /** There is no session any more. */
    public void detached() {
        var known = ledger;
        if (known != null) {
            known.detached();
        }
    }

    /**
     * False when records come from before those that came already: their topic was made again. For
     * the poll thread.
     */
    boolean goesOn(Topic topic, long first, long next) {
        if (topic == Topic.COMMANDS) {
            boolean on = first >= commandsHanded;
            commandsHanded = on ? next : commandsHanded;
            return on;
        }
        boolean on = first >= requestsHanded;
        requestsHanded = on ? next : requestsHanded;
        return on;
    }

    /** Records from this offset on are read again. For the poll thread. */
    void handedBack(Topic topic, long again) {
        if (topic == Topic.COMMANDS) {
            commandsHanded = again;
        } else {
            requestsHanded = again;
        }
    }

    @Nullable RequestLedger ledger() {
        return ledger;
    }

    OffsetTracker tracker(Topic topic) {
        return topic == Topic.COMMANDS ? commands : requests;
    }

    boolean isPaused(Topic topic) {
        return topic == Topic.COMMANDS ? commandsPaused : requestsPaused;
    }

    void setPaused(Topic topic, boolean paused) {
        if (topic == Topic.COMMANDS) {
            commandsPaused = paused;
        } else {
            requestsPaused = paused;
        }
    }
}
