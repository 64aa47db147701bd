package dev.perigee.worker.session;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.TokenBucket;
import dev.perigee.protocol.link.LinkError;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Permits to run a request, shared by all sessions of a worker, so that a team's partitions share
 * its limits. A refusal costs the request nothing: its gateway asks again. Any thread may call; the
 * lock is a leaf.
 */
final class CallPermits {
    private static final int SWEEP = 64;

    /**
     * @param running with how many bytes of arguments
     */
    private record Team(Map<RequestId, Long> running, @Nullable TokenBucket bucket) {
        boolean isAsNew(Instant now) {
            return running.isEmpty() && (bucket == null || bucket.isFull(now));
        }
    }

    private final CallLimits limits;
    private final InstantSource clock;
    private final Object lock = new Object();
    private final Map<String, Team> teams = new HashMap<>();
    private final RunningArguments arguments;
    private int running;
    private int sweepAt = SWEEP;

    /**
     * @param budget of the arguments of all requests that run
     */
    CallPermits(CallLimits limits, ByteBudget budget, InstantSource clock) {
        this.limits = limits;
        this.arguments = new RunningArguments(budget);
        this.clock = clock;
    }

    /**
     * A request is to run.
     *
     * @param bytes of its arguments
     * @throws LinkRefusal which limit it is that allows no more now
     */
    void begin(RequestId request, long bytes) throws LinkRefusal {
        synchronized (lock) {
            if (running >= limits.worker()) {
                throw overloaded(
                        "it runs as many calls as worker.max-concurrent-calls allows, "
                                + limits.worker());
            }
            var now = clock.instant();
            var team = team(request.teamId(), now);
            if (team.running().size() >= limits.team()) {
                throw overloaded(
                        "it runs as many calls of the team as limits.team.concurrency allows, "
                                + limits.team());
            }
            if (!arguments.fits(request, bytes)) {
                throw overloaded(
                        "the arguments of what it runs take as much memory as worker.open-bytes"
                                + " allows, or the user's as much as is free");
            }
            var bucket = team.bucket();
            if (bucket != null && !bucket.take(now)) {
                throw overloaded(
                        "the team calls more often than limits.team.rate allows, "
                                + limits.teamRate().perSecond()
                                + " times a second");
            }
            if (team.running().putIfAbsent(request, bytes) == null) {
                running++;
                arguments.take(request, bytes);
            }
        }
    }

    /** A request does not run any more. */
    void end(RequestId request) {
        synchronized (lock) {
            var team = teams.get(request.teamId());
            var bytes = team == null ? null : team.running().remove(request);
            if (bytes != null) {
                running--;
                arguments.give(request, bytes);
            }
        }
    }

    /** How many teams are known, be it that some have nothing running any more. */
    int teams() {
        synchronized (lock) {
            return teams.size();
        }
    }

    private Team team(String id, Instant now) {
        if (teams.size() >= sweepAt) {
            teams.values().removeIf(team -> team.isAsNew(now));
            sweepAt = Math.max(SWEEP, 2 * teams.size());
        }
        return teams.computeIfAbsent(
                id,
                _ ->
                        new Team(
                                new HashMap<>(),
                                limits.teamRate().isSet()
                                        ? new TokenBucket(limits.teamRate(), now)
                                        : null));
    }

    private static LinkRefusal overloaded(String why) {
        return new LinkRefusal(LinkError.OVERLOADED, why);
    }
}
