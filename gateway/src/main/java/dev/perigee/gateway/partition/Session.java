package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.PartitionLink;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Owner's view of one session, across its attaches. For the owner's thread. */
final class Session {
    private final PartitionLink link;
    private final Acknowledgements acknowledgements = new Acknowledgements();
    private final Set<String> restoring = new HashSet<>();
    private final Awake awake = new Awake();
    private boolean workerLeaves;
    private boolean serving;
    private boolean closed;
    private boolean releasing;
    private long createdEpoch = -1;

    Session(PartitionLink link) {
        this.link = link;
    }

    PartitionLink link() {
        return link;
    }

    Acknowledgements acknowledgements() {
        return acknowledgements;
    }

    /** Process ids of instances that are being given to it: it may not know them yet. */
    Set<String> restoring() {
        return restoring;
    }

    /** True when it may not know the instance only because that is still being given to it. */
    boolean isRestoring(@Nullable String processId) {
        return processId != null && restoring.contains(processId);
    }

    /** Its instances that are taken to run. */
    Awake awake() {
        return awake;
    }

    /** True while its worker drains or stops, as it said. */
    boolean isWorkerLeaving() {
        return workerLeaves;
    }

    void workerLeaves(boolean leaves) {
        workerLeaves = leaves;
    }

    /** True once attached and given what is wanted: orders and calls may go. */
    boolean isServing() {
        return serving && !closed;
    }

    void serve() {
        serving = true;
    }

    /** No order or call is sent any more; events are still received. */
    void close() {
        closed = true;
    }

    /** Orders and calls are sent again. */
    void reopen() {
        closed = false;
    }

    /**
     * True once the worker was asked to end it, which it does when its journals are acknowledged.
     * From then on only committed offsets say which requests were answered.
     */
    boolean isReleasing() {
        return releasing;
    }

    void release() {
        releasing = true;
    }

    /** The worker keeps it. */
    void keep() {
        releasing = false;
    }

    /** True once the worker said what it holds. */
    boolean wasAttached() {
        return createdEpoch >= 0;
    }

    /** The epoch under which the worker created the session. */
    long createdEpoch() {
        return createdEpoch;
    }

    void createdEpoch(long epoch) {
        createdEpoch = epoch;
    }
}
