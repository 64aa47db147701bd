package dev.perigee.worker.session;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Lease;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.worker.session.Fencing.Claimant;
import dev.perigee.worker.session.Fencing.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place of one partition on this worker, for the worker's life: its {@link Fencing}, its
 * session if there is one, and the connection that is attached. One lock covers all three, so that
 * attach, detach and every message of an owner take effect one after another.
 */
final class PartitionSlot {
    private static final Logger log = LoggerFactory.getLogger(PartitionSlot.class);

    /** What an owner asks for. */
    @FunctionalInterface
    interface OwnerAction<T> {
        T on(PartitionSession session) throws LinkRefusal;
    }

    private final int partition;
    private final SessionContext context;
    private final ReentrantLock lock = new ReentrantLock();
    private final Fencing fencing;
    private @Nullable PartitionSession session;
    private @Nullable SessionEnding ending;
    private @Nullable SessionDeparture departure;
    private @Nullable LinkPeer owner;

    PartitionSlot(int partition, SessionContext context) {
        this.partition = partition;
        this.context = context;
        this.fencing = new Fencing(context.options().retention());
    }

    /**
     * Attaches a connection and answers it, unless processes of an expired session are still being
     * ended: a new session must not start them a second time, and that there is none must not be
     * said before they are gone.
     *
     * @param takesNew whether to create a session
     * @return what to wait for before asking again, null when the attach was answered
     */
    @Nullable SessionEnding attach(
            LinkPeer peer, Attach.Request request, long requestId, BooleanSupplier takesNew)
            throws LinkRefusal {
        lock.lock();
        try {
            expireIfDue(context.deadlines().instant());
            boolean creates = request.create() && !fencing.exists();
            if (creates && ending != null && !ending.isDone()) {
                return ending;
            }
            if (!peer.isOpen()) {
                return null;
            }
            if (creates && !takesNew.getAsBoolean()) {
                throw new LinkRefusal(
                        LinkError.DRAINING,
                        "the worker is leaving and has nothing of the partition: place it"
                                + " elsewhere");
            }
            var leaseEnd = leaseEnd(request.leaseUntilMs());
            if (creates && leaseEnd != null && !leaseEnd.isAfter(context.deadlines().instant())) {
                throw new LinkRefusal(
                        LinkError.SESSION_EXPIRED,
                        "the lease is over and the partition maybe another's: claim it again");
            }
            var claimant = new Claimant(peer.gatewayId(), request.epoch(), request.generation());
            switch (fencing.attach(claimant, request.create(), leaseEnd)) {
                case Decision.Created ignored -> create(peer, request, requestId);
                case Decision.Resumed resumed -> resume(peer, request, requestId, resumed);
                case Decision.Refused refused ->
                        throw new LinkRefusal(refused.error(), refused.message());
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void create(LinkPeer peer, Attach.Request request, long requestId) {
        var created = new PartitionSession(partition, request.epoch(), context);
        session = created;
        owner = peer;
        created.attach(peer, request, requestId, false, false);
        report("created", request);
    }

    private void resume(
            LinkPeer peer, Attach.Request request, long requestId, Decision.Resumed resumed) {
        var before = owner;
        owner = peer;
        if (session != null) {
            session.attach(peer, request, requestId, true, departure != null);
        }
        if (resumed.fenced() && before != null) {
            before.tell(LinkMethod.FENCED, new SessionNotice.Fenced(partition, request.epoch()));
        }
        report(resumed.fenced() ? "fenced" : "resumed", request);
    }

    private static @Nullable Instant leaseEnd(@Nullable Long untilMs) {
        return untilMs == null ? null : Instant.ofEpochMilli(untilMs);
    }

    /** A gateway still has the partition. Counts only for the session that is attached by it. */
    void extend(LinkPeer peer, Lease.Held held) {
        lock.lock();
        try {
            expireIfDue(context.deadlines().instant());
            if (peer.equals(owner) && held.epoch() == fencing.epoch()) {
                fencing.extend(Instant.ofEpochMilli(held.untilMs()));
            }
        } finally {
            lock.unlock();
        }
    }

    private void report(String how, Attach.Request request) {
        context.metrics().attached(how);
        log.atInfo()
                .addKeyValue("partition", partition)
                .addKeyValue("epoch", request.epoch())
                .addKeyValue("gateway_id", request.gatewayId())
                .addKeyValue("generation", request.generation())
                .addKeyValue("how", how)
                .log("Session attached");
    }

    /** A connection is gone. Counts only if it is attached now. */
    void detach(LinkPeer peer) {
        lock.lock();
        try {
            if (peer.equals(owner)) {
                leave();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A connection gives a claim up. Counts only if it is attached now, and by this claim. */
    void detach(LinkPeer peer, long epoch) {
        lock.lock();
        try {
            if (peer.equals(owner) && epoch == fencing.epoch()) {
                leave();
            }
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        owner = null;
        fencing.detach(context.deadlines().instant());
        if (session != null) {
            session.detach();
        }
        context.acknowledged().happened();
        log.atInfo()
                .addKeyValue("partition", partition)
                .addKeyValue("epoch", fencing.epoch())
                .addKeyValue("until", fencing.deadline())
                .log("Session detached");
    }

    /**
     * Does what the attached connection asks for; nothing of it may wait.
     *
     * @throws LinkRefusal when another connection, or none, is attached, or the session refuses
     */
    <T> T asOwner(LinkPeer peer, OwnerAction<T> action) throws LinkRefusal {
        lock.lock();
        try {
            if (session == null) {
                throw new LinkRefusal(
                        LinkError.SESSION_EXPIRED, "no session: create one with a fresh claim");
            }
            if (!peer.equals(owner)) {
                throw LinkRefusal.notOwner(peer, owner);
            }
            return action.on(session);
        } finally {
            lock.unlock();
        }
    }

    /**
     * As {@link #asOwner}, for what needs a session that goes on.
     *
     * @throws LinkRefusal also when the session is being ended
     */
    <T> T asServed(LinkPeer peer, OwnerAction<T> action) throws LinkRefusal {
        lock.lock();
        try {
            if (session != null && departure != null) {
                throw new LinkRefusal(
                        LinkError.DRAINING,
                        "the session ends: it goes on where the partition goes");
            }
            return asOwner(peer, action);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the session for good, at the wish of who is attached.
     *
     * @throws LinkRefusal when another connection, or none, is attached
     */
    Attach.Released release(LinkPeer peer, Attach.Release release) throws LinkRefusal {
        lock.lock();
        try {
            return asOwner(peer, current -> release(current, release.onlyIdle()));
        } finally {
            lock.unlock();
        }
    }

    private Attach.Released release(PartitionSession current, boolean onlyIdle) {
        int processes = current.processes();
        int running = current.runningRequests();
        boolean stays = departure == null && onlyIdle && (processes > 0 || running > 0);
        if (!stays) {
            depart();
        }
        return new Attach.Released(!stays, processes, running);
    }

    /** Begins to end the session's processes; what they say is heard before the session ends. */
    void depart() {
        lock.lock();
        try {
            if (session != null && departure == null) {
                departure = SessionDeparture.start(this, session, context);
                log.atInfo()
                        .addKeyValue("partition", partition)
                        .addKeyValue("epoch", fencing.epoch())
                        .log("Session given up");
            }
        } finally {
            lock.unlock();
        }
    }

    /** All was said and heard: the session ends and its owner is told so. */
    void departed(PartitionSession departing) {
        lock.lock();
        try {
            if (session == departing) {
                var told = owner;
                long epoch = fencing.epoch();
                fencing.end();
                end();
                if (told != null) {
                    told.tell(LinkMethod.ENDED, new SessionNotice.Ended(partition, epoch));
                }
                log.atInfo()
                        .addKeyValue("partition", partition)
                        .addKeyValue("epoch", epoch)
                        .log("Session ended");
            }
        } finally {
            lock.unlock();
        }
    }

    /** False when the session lives, or its end has not been heard by who is attached. */
    boolean isAtRest() {
        lock.lock();
        try {
            return session == null
                    || (departure != null
                            && departure.isTerminated()
                            && (owner == null || session.journalEntries() == 0));
        } finally {
            lock.unlock();
        }
    }

    /** What is left of the partition here, null when nothing is. */
    DrainProgress.@Nullable Left left() {
        lock.lock();
        try {
            if (session == null) {
                return ending == null || ending.isDone()
                        ? null
                        : new DrainProgress.Left(partition, null, 0, 0, null);
            }
            return new DrainProgress.Left(
                    partition,
                    owner == null ? null : owner.gatewayId(),
                    session.processes(),
                    session.runningRequests(),
                    owner == null ? null : owner.stays());
        } finally {
            lock.unlock();
        }
    }

    /** True when the session is being ended. */
    boolean isDeparting() {
        lock.lock();
        try {
            return departure != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the session if its deadline has come.
     *
     * @return when to ask again, null when there is nothing to wait for
     */
    @Nullable Instant expireIfDue(Instant now) {
        lock.lock();
        try {
            if (fencing.expire(now)) {
                context.metrics().expired();
                log.atWarn()
                        .addKeyValue("partition", partition)
                        .addKeyValue("epoch", fencing.epoch())
                        .log(
                                "No gateway that hears from its group held the session in time: its"
                                        + " processes are ended");
                end();
            }
            return fencing.deadline();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the session now, whoever is attached. */
    void endNow() {
        lock.lock();
        try {
            if (session != null) {
                fencing.end();
                end();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the processes of ended sessions are gone, or the time is over. */
    void awaitEnded(Duration limit) throws InterruptedException {
        SessionEnding last;
        lock.lock();
        try {
            last = ending;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.await(limit);
        }
    }

    private void end() {
        var ended = session;
        session = null;
        owner = null;
        departure = null;
        if (ended != null) {
            ended.drop();
            ending =
                    SessionEnding.start(
                            partition,
                            ended,
                            context.options().expiryGrace(),
                            context.acknowledged()::happened);
        }
    }

    /** The session as it is now, for statistics. */
    @Nullable PartitionSession session() {
        lock.lock();
        try {
            return session;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a gateway is attached. */
    boolean isAttached() {
        lock.lock();
        try {
            return owner != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether a worker that stops has to wait: a gateway is attached, or the next owner has
     * something to take over.
     *
     * @param gateways whether there is any that may become the next owner
     */
    boolean holdsBack(boolean gateways) {
        lock.lock();
        try {
            if (owner != null || session == null || !gateways) {
                return owner != null;
            }
            return session.processes() > 0
                    || session.runningRequests() > 0
                    || session.journalEntries() > 0;
        } finally {
            lock.unlock();
        }
    }

    /** The epoch of the session, -1 when there is none. */
    long epoch() {
        lock.lock();
        try {
            return session == null ? -1 : fencing.epoch();
        } finally {
            lock.unlock();
        }
    }

    int partition() {
        return partition;
    }
}
