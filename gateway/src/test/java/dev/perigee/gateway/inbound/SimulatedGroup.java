package dev.perigee.gateway.inbound;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What the group knows of one partition of requests, with the real ledger of its owner: commits
 * take effect late, in order, and some of a lost owner's without anybody knowing.
 */
public final class SimulatedGroup {
    private final int requests;
    private final List<RequestLedger.Position> underWay = new ArrayList<>();
    private long committed;
    private String metadata = "";
    private OffsetTracker tracker;
    private RequestLedger ledger;

    /** A group without owner, of a topic that will have so many records. */
    public SimulatedGroup(int requests) {
        this.requests = requests;
        this.tracker = new OffsetTracker(1, 1);
        this.ledger = new RequestLedger(tracker, RequestProgress.none(0), 0);
    }

    /** A new owner, while the topic ends there. */
    public EarlierRuns begin(long end) {
        tracker = new OffsetTracker(requests, requests);
        tracker.advanceTo(committed);
        var progress = ProgressCodec.decode(metadata, committed);
        ledger = new RequestLedger(tracker, progress, end);
        return new EarlierRuns(progress, end);
    }

    /** The owner is gone, and of its commits the first ones may have taken effect. */
    public void lose(RandomGenerator random) {
        for (var position : underWay.subList(0, random.nextInt(underWay.size() + 1))) {
            durable(position);
        }
        underWay.clear();
    }

    /** The owner commits. */
    public void startCommit() {
        var position = ledger.toCommit(ProgressCodec.MAX_BITMAP_BYTES);
        if (position != null) {
            underWay.add(position);
        }
    }

    /** The oldest commit under way takes effect, and the owner hears of it. */
    public void endCommit() {
        if (!underWay.isEmpty()) {
            var position = underWay.removeFirst();
            durable(position);
            ledger.committed(position);
        }
    }

    private void durable(RequestLedger.Position position) {
        committed = position.offset().offset();
        metadata = position.offset().metadata();
    }

    /** Requests below have their answer, and will not be read again. */
    public long committed() {
        return committed;
    }

    /** True when an owner that begins now takes a request for answered. */
    public boolean isNoted(long offset) {
        return offset < committed
                || ProgressCodec.decode(metadata, committed).completed().contains(offset);
    }

    /** A session is attached. */
    public void attached(long session) {
        ledger.attached(session);
    }

    /** None is. */
    public void detached() {
        ledger.detached();
    }

    /** A period of traffic is over. */
    public void period() {
        ledger.period();
    }

    /** Whether a request may be sent. */
    public boolean mayDispatch(long offset) {
        return ledger.mayDispatch(offset);
    }

    /** Which one the owner reads next. */
    public long next() {
        return tracker.next();
    }

    /** The owner read it. */
    public void read(long offset) {
        tracker.add(offset, 1);
    }

    /** It has its answer. */
    public void done(long offset) {
        tracker.complete(offset);
    }

    /** All below are done, for this owner. */
    public long settled() {
        return tracker.settled();
    }
}
