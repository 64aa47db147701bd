package dev.perigee.gateway.link;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.Lease.Held;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition's session, from {@code open} to its one end, across connections. The answer to an
 * attach is handled on the connection's reader before any event behind it: calls in flight are
 * resolved or sent again, then events are let through.
 */
final class PartitionSession implements PartitionLink {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionSession.class);
    private static final Duration OVERLOAD_PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration OVERLOAD_PAUSE_MAX = Duration.ofSeconds(1);

    /** What a session needs of its link. */
    interface Host {
        void ended(PartitionSession session);

        /**
         * Does it unless a newer session of the partition is open, whose attach would be undone by
         * a late detach of this one.
         *
         * @return whether it was done
         */
        boolean unlessReplaced(PartitionSession session, Runnable action);
    }

    /** What came of one attempt to attach. */
    enum AttachStep {
        ATTACHED,
        /** The worker is not ready for it yet. */
        AGAIN,
        /** The session or the connection is over. */
        OVER
    }

    private final PartitionClaim claim;
    private final String workerId;
    private final boolean create;
    private final Host host;
    private final CreditWindow credit;
    private final SessionCalls calls;
    private final SessionNotices notices;
    private final SessionDelivery delivery;
    private final SessionListener owner;
    private final Duration lease;
    private final LastAsked asked = new LastAsked();
    private volatile boolean everAttached;
    private volatile boolean abandoned;
    private volatile int protocol = LinkVersions.FIRST;

    PartitionSession(
            PartitionClaim claim,
            String workerId,
            boolean create,
            SessionListener listener,
            Duration lease,
            Host host,
            AtomicLong callIds,
            long creditBytes,
            EventMemory events,
            LinkMeters meters) {
        this.claim = claim;
        this.workerId = workerId;
        this.create = create;
        this.host = host;
        this.owner = listener;
        this.lease = lease;
        this.credit = new CreditWindow(events, creditBytes);
        this.calls = new SessionCalls(callIds, this::over, meters);
        this.notices = new SessionNotices(claim.partition(), credit);
        this.delivery = new SessionDelivery(listener, credit, meters);
    }

    @Override
    public PartitionClaim claim() {
        return claim;
    }

    @Override
    public String workerId() {
        return workerId;
    }

    @Override
    public int protocol() {
        return protocol;
    }

    @Override
    public @Nullable Instant heldUntil() {
        return asked.endedAt();
    }

    boolean isAttached() {
        return calls.connection() != null;
    }

    boolean isOver() {
        return calls.isOver();
    }

    @Override
    public @Nullable PendingAcceptance offer(ToolOrder.Execute order, Runnable onEnd) {
        var call = calls.offer(order, onEnd);
        return call == null ? null : () -> calls.take(call, ToolOrder.Accepted::read);
    }

    @Override
    public void flush() {
        calls.flush();
    }

    @Override
    public ToolOrder.Accepted execute(ToolOrder.Execute order, Instant deadline)
            throws LinkException, InterruptedException {
        var until = Deadline.at(deadline);
        var reserve = until.nanosLeft() / 10;
        var backoff =
                new FullJitterBackoff(
                        OVERLOAD_PAUSE_MIN, OVERLOAD_PAUSE_MAX, ThreadLocalRandom.current());
        while (true) {
            try {
                var call = calls.post(LinkMethod.EXECUTE, order, order.origin(), until);
                return calls.await(call, until, ToolOrder.Accepted::read);
            } catch (LinkException e) {
                var pause = backoff.next();
                if (e.reason() != Reason.OVERLOADED
                        || until.nanosLeft() - pause.toNanos() < reserve) {
                    throw e;
                }
                Thread.sleep(pause); // The link has no message for room.
                if (until.nanosLeft() < reserve) {
                    throw e; // It slept too long, and an order sent now might run unawaited.
                }
            }
        }
    }

    @Override
    public PendingOrder submit(String method, Object order, Instant deadline, Runnable onEnd)
            throws LinkException, InterruptedException {
        var until = Deadline.at(deadline);
        var call = calls.post(method, order, null, until, onEnd);
        return new PendingOrder() {
            @Override
            public InstanceOrder.Outcome await() throws LinkException, InterruptedException {
                return calls.await(call, until, PartitionSession::outcome);
            }

            @Override
            public InstanceOrder.Outcome take() throws LinkException {
                return calls.take(call, PartitionSession::outcome);
            }
        };
    }

    private static InstanceOrder.Outcome outcome(RawJson json) {
        return Json.read(json, InstanceOrder.Outcome.class);
    }

    @Override
    public boolean cancel(ToolOrder.Cancel order, Instant deadline)
            throws LinkException, InterruptedException {
        var until = Deadline.at(deadline);
        var call = calls.post(LinkMethod.CANCEL, order, null, until);
        return calls.await(call, until, json -> Json.read(json, ToolOrder.Cancelled.class)).found();
    }

    @Override
    public Attach.Released release(boolean onlyIdle, Instant deadline)
            throws LinkException, InterruptedException {
        var until = Deadline.at(deadline);
        var release = new Attach.Release(claim.partition(), claim.epoch(), onlyIdle);
        var call = calls.post(LinkMethod.RELEASE, release, null, until);
        return calls.await(call, until, json -> Json.read(json, Attach.Released.class));
    }

    @Override
    public boolean trial(@Nullable String processId, Duration atMost, Instant deadline)
            throws LinkException, InterruptedException {
        var until = Deadline.at(deadline);
        var trial = new Attach.Trial(claim.partition(), processId, atMost.toMillis());
        var call = calls.post(LinkMethod.TRIAL, trial, null, until);
        return calls.await(call, until, json -> Json.read(json, Attach.TrialPlace.class)).granted();
    }

    @Override
    public void ack(SessionNotice.Ack ack) {
        notices.ack(ack);
    }

    @Override
    public void credit(long bytes) {
        notices.credit(bytes);
    }

    @Override
    public void committed(String topic, long offset) {
        notices.committed(topic, offset);
    }

    /** Asks the worker for the session once and waits; on the link's attach thread. */
    AttachStep attach(LinkConnection via, String gatewayId, Duration atMost)
            throws InterruptedException {
        if (!asked.begin(via)) {
            return AttachStep.OVER;
        }
        var request =
                new Attach.Request(
                        claim.partition(),
                        claim.epoch(),
                        gatewayId,
                        via.generation(),
                        create && !everAttached,
                        delivery.cursors(),
                        credit.grant(),
                        leaseUntil(via.clock()));
        var exchange =
                new LinkExchange() {
                    @Override
                    public void result(RawJson json) {
                        attached(via, json);
                        super.result(json);
                    }
                };
        via.ask(LinkMethod.ATTACH, request, exchange);
        return switch (exchange.await(atMost)) {
            case LinkExchange.Answer.Result ignored -> AttachStep.ATTACHED;
            case LinkExchange.Answer.Refusal(var code, var ignored) ->
                    refusedAttach(LinkError.of(code), code);
            case LinkExchange.Answer.Disconnected() -> AttachStep.OVER;
            case LinkExchange.Answer.Silence() -> {
                via.close("no answer to " + LinkMethod.ATTACH);
                yield AttachStep.OVER;
            }
        };
    }

    private @Nullable Long leaseUntil(@Nullable WorkerClock clock) {
        return clock == null ? null : clock.untilMs(owner.heardAt(), lease);
    }

    /** Until when the worker may keep the session; null while that worker has not attached it. */
    @Nullable Held held(LinkConnection via, WorkerClock clock) {
        return via.equals(calls.connection())
                ? new Held(claim.partition(), claim.epoch(), clock.untilMs(owner.heardAt(), lease))
                : null;
    }

    /** An event of this partition came; on the reader. */
    void event(long generation, SessionNotice.InstanceEvent event, int creditBytes) {
        var request = event.origin();
        if (delivery.event(generation, event, creditBytes) && request != null) {
            calls.accepted(request);
        }
    }

    /** The connection closed; on the link's thread. */
    void suspend(LinkConnection closed) {
        asked.ended(closed);
        calls.suspended(closed);
        notices.suspended(closed);
        delivery.suspended(closed);
    }

    /** A higher epoch has the partition. */
    void fence(long byEpoch) {
        if (end(SessionEnd.FENCED)) {
            delivery.end(listener -> listener.fenced(byEpoch));
        }
    }

    /** The session is gone. */
    void lose(LinkFailure failure) {
        if (end(SessionEnd.lost(failure))) {
            delivery.end(listener -> listener.lost(failure));
        }
    }

    @Override
    public void abandon() {
        abandoned = true;
        delivery.mute();
        var via = calls.connection();
        if (end(SessionEnd.STOPPED) && via != null && via.clock() == null) {
            leave(via, false, new LinkExchange()); // Without leases it would be kept for ever.
        }
    }

    /** The same owner opens the partition again, with a newer claim. */
    void replace() {
        delivery.mute();
        end(SessionEnd.LEFT);
    }

    @Override
    public void detach(boolean handOff, Duration deadline) {
        delivery.mute();
        var via = calls.connection();
        if (!end(SessionEnd.LEFT) || via == null) {
            return;
        }
        var exchange = new LinkExchange();
        try {
            if (leave(via, handOff, exchange)) {
                exchange.await(deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** On the reader, before any event behind the answer. */
    private void attached(LinkConnection via, RawJson json) {
        Attach.Result result;
        try {
            result = Json.read(json, Attach.Result.class);
        } catch (InvalidRecordException e) {
            refusedForGood("an answer that is not understood: " + e.getMessage());
            return;
        }
        protocol = via.protocol();
        if (calls.attached(via, result)) {
            everAttached = true;
            notices.attached(via, result);
            delivery.attached(via, result);
        } else if (isOver() && !(abandoned && via.clock() != null)) {
            leave(via, false, new LinkExchange());
        }
    }

    private AttachStep refusedAttach(@Nullable LinkError error, int code) {
        var sessionEnd = error == null ? null : SessionEnd.of(error);
        if (sessionEnd != null) {
            over(sessionEnd);
        } else if (error == LinkError.DRAINING) {
            lose(LinkFailure.DRAINING);
        } else if (error == LinkError.ALREADY_ATTACHED || error == LinkError.OVERLOADED) {
            return AttachStep.AGAIN;
        } else {
            refusedForGood("error " + code);
        }
        return AttachStep.OVER;
    }

    private void refusedForGood(String how) {
        LOG.atError()
                .addKeyValue("worker_id", workerId)
                .addKeyValue("partition", claim.partition())
                .addKeyValue("epoch", claim.epoch())
                .addKeyValue("error", how)
                .log("A worker refused to attach a session: one of the two has a bug");
        lose(LinkFailure.REFUSED);
    }

    private void over(SessionEnd sessionEnd) {
        var failure = sessionEnd.failure();
        if (failure == null) {
            fence(-1);
        } else {
            lose(failure);
        }
    }

    private boolean end(SessionEnd how) {
        if (!calls.end(how)) {
            return false;
        }
        notices.end();
        credit.close();
        host.ended(this);
        return true;
    }

    private boolean leave(LinkConnection via, boolean handOff, LinkExchange exchange) {
        var detach = new Attach.Detach(claim.partition(), claim.epoch(), handOff);
        return host.unlessReplaced(this, () -> via.ask(LinkMethod.DETACH, detach, exchange));
    }
}
