package dev.perigee.gateway.partition;

import dev.perigee.protocol.limit.TokenBucket;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Fair queue of one partition's requests, round-robin over users, one request each; a user who has
 * as many at the worker as allowed, or who spent its rate, is passed over without holding up
 * others. What a user may have open is bounded, and the more of the partition is in use the sooner,
 * so that there is room to read on to the requests of others: a surplus is refused when it comes.
 * So is what the gateway has no memory for. Responses to questions of calls take turns of their
 * own, by the same limits.
 *
 * <pre>
 *   admit ──▶ (waits for its server) ──▶ ready ──▶ next: sent ──▶ ended
 *                                          ▲           │
 *                                          └── never ran
 * </pre>
 *
 * Pure, for the owner's thread. Each operation costs the logarithm of one user's queue at most.
 */
final class FairQueue {
    private static final int SWEEP = 64;

    private final UserLimits limits;
    private final OpenArguments arguments;
    private final InstantSource clock;
    private final Map<String, UserShare> shares = new HashMap<>();
    private final ArrayDeque<UserShare> turns = new ArrayDeque<>();
    private final PriorityQueue<UserShare> unpaid =
            new PriorityQueue<>(Comparator.comparing(UserShare::paidAt));
    private int open;
    private int sweepAt = SWEEP;

    /**
     * @param arguments the gateway's memory for them, which others share
     */
    FairQueue(UserLimits limits, OpenArguments arguments, InstantSource clock) {
        this.limits = limits;
        this.arguments = arguments;
        this.clock = clock;
    }

    /** Takes a request in, or gives the reason why it is refused. */
    @Nullable OwnAnswer admit(ToolCall call) {
        var share = share(call);
        var refusal = refusal(share, call);
        if (refusal != null) {
            return refusal;
        }
        var room = arguments.admit(call, share.openCount() == 0);
        if (room == null) {
            return OwnAnswer.ARGUMENTS_FULL;
        }
        call.keep(room);
        open(share, call);
        return null;
    }

    private @Nullable OwnAnswer refusal(UserShare share, ToolCall call) {
        int queue = Math.min(limits.queue(), Math.max(0, limits.partitionRequests() - open));
        if (share.openCount() >= limits.concurrency() + queue) {
            return OwnAnswer.QUEUE_FULL;
        }
        if (share.openCount() > 0 && share.openBytes() + call.bytes() > limits.openBytes()) {
            return OwnAnswer.BYTES_FULL;
        }
        if (arguments.isTooLarge(call)) {
            return OwnAnswer.TOO_LARGE;
        }
        return share.earliest(clock.instant()).isAfter(call.read().deadline())
                ? OwnAnswer.TOO_OFTEN
                : null;
    }

    /**
     * Takes a request in that the worker has already, or may have. It is not refused: where there
     * is no room for its arguments they are let go of.
     */
    void adopt(ToolCall call) {
        var share = share(call);
        call.keep(arguments.adopt(call));
        open(share, call);
        share.sent(call);
    }

    /** A request, admitted or sent in vain, can be sent. */
    void ready(ToolCall call) {
        var share = shareWith(call);
        if (share != null) {
            share.ready(call);
            enroll(share);
        }
    }

    /** A request was sent in vain and is not ready for now. */
    void aside(ToolCall call) {
        var share = shareWith(call);
        if (share != null) {
            share.aside(call);
            enroll(share);
        }
    }

    /** A worker has a request, whoever sent it; it has no turn to come. */
    void atWorker(ToolCall call) {
        var share = shareWith(call);
        if (share != null) {
            share.sent(call);
        }
    }

    /** The request that is to be sent now; null when there is none. */
    @Nullable ToolCall next() {
        if (turns.isEmpty() && unpaid.isEmpty()) {
            return null;
        }
        var now = clock.instant();
        while (!unpaid.isEmpty() && !unpaid.peek().paidAt().isAfter(now)) {
            turns.add(unpaid.remove());
        }
        for (var share = turns.poll(); share != null; share = turns.poll()) {
            share.enrolled(false);
            if (!maySend(share)) {
                continue;
            }
            if (share.pay(now)) {
                var call = share.first();
                share.sent(call);
                enroll(share);
                return call;
            }
            share.enrolled(true);
            unpaid.add(share);
        }
        return null;
    }

    /** When {@link #next} has something though nothing else happened; null when never. */
    @Nullable Instant due() {
        return unpaid.isEmpty() ? null : unpaid.peek().paidAt();
    }

    /** A request has its answer, wherever it was. */
    void ended(ToolCall call) {
        var share = shareWith(call);
        if (share == null) {
            return;
        }
        share.ended(call);
        open--;
        enroll(share);
    }

    /** How many users are known, be it that some have nothing open any more. */
    int users() {
        return shares.size();
    }

    private void open(UserShare share, ToolCall call) {
        share.open(call);
        open++;
    }

    private void enroll(UserShare share) {
        if (!share.isEnrolled() && maySend(share)) {
            share.enrolled(true);
            turns.add(share);
        }
    }

    private boolean maySend(UserShare share) {
        return share.hasReady() && share.sentCount() < limits.concurrency();
    }

    private UserShare share(ToolCall call) {
        if (shares.size() >= sweepAt) {
            var now = clock.instant();
            shares.values().removeIf(share -> share.isAsNew(now));
            sweepAt = Math.max(SWEEP, 2 * shares.size());
        }
        return shares.computeIfAbsent(
                call.share(),
                _ ->
                        new UserShare(
                                limits.rate().isSet()
                                        ? new TokenBucket(limits.rate(), clock.instant())
                                        : null));
    }

    private @Nullable UserShare shareWith(ToolCall call) {
        var share = shares.get(call.share());
        return share != null && share.has(call) ? share : null;
    }
}
