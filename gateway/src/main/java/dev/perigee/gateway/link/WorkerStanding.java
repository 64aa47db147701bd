package dev.perigee.gateway.link;

import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.SessionNotice;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * State of a worker as its link sees it. Written by the link's thread, but for liveness and
 * draining, by the reader, and for answers at another address, by other links; read by any thread.
 */
final class WorkerStanding {
    /** Who answered, compared with who answered last. */
    enum Meeting {
        SAME,
        /** A new process of the same worker: the old one is dead, and all it ran. */
        NEW_INCARNATION,
        OTHER_WORKER
    }

    private record StateSince(LinkState state, Instant since) {}

    private final URI address;
    private volatile StateSince current = new StateSince(LinkState.CONNECTING, Instant.now());
    private volatile Hello.@Nullable Result who;
    private volatile @Nullable Instant goneSince;
    private volatile SessionNotice.@Nullable Draining draining;
    private volatile @Nullable String problem;
    private volatile @Nullable String deadIncarnation;
    private volatile boolean livesElsewhere;

    WorkerStanding(URI address) {
        this.address = address;
    }

    /** Host and port, for names. */
    String authority() {
        return address.getAuthority();
    }

    LinkState state() {
        return current.state();
    }

    @Nullable String workerId() {
        var met = who;
        return met == null ? null : met.workerId();
    }

    /** Whether this process of this worker answered last. */
    boolean isProcess(String workerId, String incarnation) {
        var met = who;
        return met != null
                && met.workerId().equals(workerId)
                && met.incarnation().equals(incarnation);
    }

    @Nullable String problem() {
        return problem;
    }

    WorkerView view() {
        var met = who;
        var now = current;
        return new WorkerView(
                address,
                met == null ? null : met.workerId(),
                met == null ? null : met.incarnation(),
                now.state(),
                now.since(),
                goneSince,
                met == null ? null : Duration.ofMillis(met.retentionMs()),
                capacity(met),
                drain(),
                problem,
                met != null && met.incarnation().equals(deadIncarnation));
    }

    Meeting met(Hello.Result hello) {
        var before = who;
        deadIncarnation = null;
        livesElsewhere = false;
        who = hello;
        goneSince = null;
        draining = hello.draining();
        if (before == null) {
            return Meeting.SAME;
        }
        var sameWorker = hello.workerId().equals(before.workerId());
        if (sameWorker && hello.incarnation().equals(before.incarnation())) {
            return Meeting.SAME;
        }
        return sameWorker ? Meeting.NEW_INCARNATION : Meeting.OTHER_WORKER;
    }

    void state(LinkState state) {
        current = new StateSince(state, Instant.now());
        if (state == LinkState.CONNECTED) {
            problem = null;
        }
    }

    /** The worker is somewhere else. */
    void forget() {
        who = null;
        goneSince = null;
        deadIncarnation = null;
        draining = null;
    }

    /** The process that answered last is proved dead. */
    void died() {
        var met = who;
        deadIncarnation = met == null ? null : met.incarnation();
    }

    /** The process that answered last was met at another address since. */
    void answersElsewhere() {
        livesElsewhere = true;
    }

    /** Whether it was: it lives then, whatever refuses connections here. */
    boolean livesElsewhere() {
        return livesElsewhere;
    }

    /** Whether it said that it is leaving: its end proves nothing then. */
    boolean isLeaving() {
        return drain() != SessionNotice.Phase.SERVING;
    }

    /** The connection ended. */
    void gone() {
        if (who != null && goneSince == null) {
            goneSince = SteadyTime.now();
        }
    }

    /** The worker begins or ceases to leave; of two notices the newer one counts. */
    void drains(SessionNotice.Draining notice) {
        var before = draining;
        if (before == null || before.version() < notice.version()) {
            draining = notice;
        }
    }

    private static int capacity(Hello.@Nullable Result met) {
        var said = met == null ? null : met.capacity();
        return said == null ? Hello.USUAL_CAPACITY : said;
    }

    private SessionNotice.Phase drain() {
        var said = draining;
        return said == null ? SessionNotice.Phase.SERVING : said.phase();
    }

    /** Notes why the worker is not reached; false when that is known already. */
    boolean problem(@Nullable String now) {
        var before = problem;
        problem = now;
        return !Objects.equals(before, now);
    }
}
