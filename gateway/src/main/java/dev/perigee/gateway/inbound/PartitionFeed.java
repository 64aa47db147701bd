package dev.perigee.gateway.inbound;

import dev.perigee.protocol.topic.Topic;

/**
 * What flows to one partition's owner during one tenure: which offsets of the two topics are open,
 * and whether more may come. Commands' offsets are committed by the owner in its transactions, tool
 * requests' by the poll loop. Thread-safe.
 */
public final class PartitionFeed {
    /** Wakes the poll loop so that it takes up a paused topic again. */
    interface Resume {
        void resume(PartitionFeed feed, Topic topic);
    }

    private final Tenure tenure;
    private final OffsetTracker commands;
    private final OffsetTracker requests;
    private final Resume resume;
    private volatile boolean commandsPaused;
    private volatile boolean requestsPaused;

    PartitionFeed(Tenure tenure, FeedLimits limits, Resume resume) {
        this.tenure = tenure;
        this.commands = new OffsetTracker(limits.maxRecords(), limits.maxBytes());
        this.requests = new OffsetTracker(limits.maxRecords(), limits.maxBytes());
        this.resume = resume;
    }

    /** The ownership that this belongs to. */
    public Tenure tenure() {
        return tenure;
    }

    /** Everything below is done; -1 while nothing is known. */
    public long settled(Topic topic) {
        return tracker(topic).settled();
    }

    /** Everything below has arrived or never will; -1 while nothing is known. */
    public long arrived(Topic topic) {
        return tracker(topic).next();
    }

    /** What this record stands for is done. False when it was done already. */
    public boolean done(Topic topic, long offset) {
        var tracker = tracker(topic);
        boolean known = tracker.complete(offset);
        if (isPaused(topic) && tracker.hasRoom()) {
            resume.resume(this, topic);
        }
        return known;
    }

    /** Nothing below this offset is still to come. */
    public void startAt(Topic topic, long offset) {
        tracker(topic).advanceTo(offset);
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
