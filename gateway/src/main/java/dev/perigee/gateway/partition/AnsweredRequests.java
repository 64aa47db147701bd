package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.EarlierRuns;
import java.util.TreeSet;

/**
 * Answered requests of one partition, by offset, so that a worker's late event is not published as
 * a second answer. Pure, for one thread.
 */
final class AnsweredRequests {
    private final TreeSet<Long> byGateway = new TreeSet<>();
    private final TreeSet<Long> beforeRead = new TreeSet<>();
    private final TreeSet<Long> underWay = new TreeSet<>();
    private EarlierRuns earlier = EarlierRuns.none();
    private long committed;

    /** What earlier owners did. */
    void continuing(EarlierRuns earlierRuns) {
        earlier = earlierRuns;
    }

    /** The gateway gave the answer. */
    void byGateway(long offset) {
        byGateway.add(offset);
    }

    /** The worker gave the answer before the request's record was read again. */
    void beforeRead(long offset) {
        beforeRead.add(offset);
        underWay.add(offset);
    }

    /** Such an answer is durable. */
    void durableBeforeRead(long offset) {
        underWay.remove(offset);
    }

    /** True while such an answer is not durable. */
    boolean isUnderWay(long offset) {
        return underWay.contains(offset);
    }

    /** True for a request that is read after its answer. */
    boolean isReadAfter(long offset) {
        return beforeRead.remove(offset) || earlier.isDone(offset);
    }

    /** True when an event must not be published: this gateway or an earlier owner answered. */
    boolean isFinal(long offset) {
        return offset < committed || byGateway.contains(offset) || earlier.isDone(offset);
    }

    /** The group committed this offset: each request below has its answer and is not read again. */
    void committed(long offset) {
        committed = Math.max(committed, offset);
        byGateway.headSet(offset).clear();
        beforeRead.headSet(offset).clear();
    }
}
