package dev.perigee.gateway.link;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one worker: dials, greets, attaches the open sessions, waits for the connection's
 * end, and begins again, on one virtual thread, which alone moves the {@link LinkStateMachine}. So
 * there is one recovery at a time, and at most one open connection.
 */
final class WorkerLink implements PartitionSession.Host {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerLink.class);

    /** A drain moves many partitions in turn, which wait for a slow worker once. */
    private static final Duration SLOW_FOR = Duration.ofMinutes(1);

    private final WorkerAddress address;
    private final LinkOptions options;
    private final EventMemory events;
    private final JettyDialer dialer;
    private final LinkRegistry registry;
    private final WorkerListener listener;
    private final LinkMeters meters;
    private final WorkerStanding standing;
    private final LinkStateMachine machine;
    private final DeathWatch deaths;
    private final FullJitterBackoff backoff;
    private final FullJitterBackoff recoveryBackoff;
    private final AtomicLong callIds = new AtomicLong();
    private final Map<Integer, PartitionSession> sessions = new ConcurrentHashMap<>();
    private final NoticeHandler notices;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Object attachLock = new Object();
    private @Nullable Attacher attacher; // guarded by attachLock
    private volatile @Nullable Thread thread;
    private volatile @Nullable LinkConnection current;

    /** Until when it is not waited for packages, in terms of {@link System#nanoTime}. */
    private volatile long slowUntilNanos = System.nanoTime();

    /** Knows which link has which worker. */
    interface LinkRegistry {
        /** Claims the worker that answered; false when another link has it. */
        boolean claim(Hello.Result who, WorkerLink link);
    }

    WorkerLink(
            WorkerAddress address,
            LinkOptions options,
            EventMemory events,
            JettyDialer dialer,
            LinkRegistry registry,
            WorkerListener listener,
            LinkMeters meters) {
        this.address = address;
        this.options = options;
        this.events = events;
        this.dialer = dialer;
        this.registry = registry;
        this.listener = listener;
        this.meters = meters;
        var timing = options.timing();
        this.standing = new WorkerStanding(address.shown());
        this.notices = new LinkNotices(standing, sessions, listener);
        this.machine = new LinkStateMachine(timing.recoveryMargin());
        this.deaths = new DeathWatch(timing.refusedFor());
        this.backoff =
                new FullJitterBackoff(
                        timing.backoffMin(), timing.backoffMax(), ThreadLocalRandom.current());
        this.recoveryBackoff =
                new FullJitterBackoff(
                        timing.backoffMin(),
                        timing.recoveryBackoffMax(),
                        ThreadLocalRandom.current());
        meters.stateOf(standing::state);
    }

    void start() {
        thread = Thread.ofVirtual().name("link-" + standing.authority()).start(this::run);
    }

    /** Ends the link; its sessions live on at the worker. Waits, bounded, for its thread. */
    void stop() {
        stopped.countDown();
        var running = thread;
        if (running != null) {
            running.interrupt();
            try {
                running.join(Duration.ofSeconds(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        List.copyOf(sessions.values()).forEach(PartitionSession::abandon);
    }

    /**
     * Whether a worker that answers elsewhere can be taken for the one that was here. The very
     * process that was here can not; it is noted that it lives.
     */
    boolean yieldsTo(Hello.Result who) {
        return switch (standing.state()) {
            case CONNECTED -> false;
            case RECOVERING -> {
                boolean same = standing.isProcess(who.workerId(), who.incarnation());
                if (same) {
                    standing.answersElsewhere();
                }
                yield !same;
            }
            case CONNECTING, FAILED -> true;
        };
    }

    /** The worker answers elsewhere. */
    void displaced(Hello.Result who) {
        List<PartitionSession> before;
        boolean same;
        synchronized (attachLock) {
            same = standing.isProcess(who.workerId(), who.incarnation());
            standing.forget();
            before = List.copyOf(sessions.values());
        }
        lose(before, same ? LinkFailure.UNREACHABLE : LinkFailure.INCARNATION_CHANGED);
    }

    LinkMeters meters() {
        return meters;
    }

    WorkerAddress address() {
        return address;
    }

    WorkerView view() {
        return standing.view();
    }

    PartitionLink open(
            PartitionClaim claim,
            String workerId,
            String incarnation,
            boolean create,
            SessionListener owner) {
        var session =
                new PartitionSession(
                        claim,
                        workerId,
                        create,
                        owner,
                        options.lease(),
                        this,
                        callIds,
                        options.creditBytes(),
                        events,
                        meters);
        synchronized (attachLock) {
            if (!standing.isProcess(workerId, incarnation)
                    || standing.state() == LinkState.FAILED) {
                throw new IllegalArgumentException(
                        "Worker " + workerId + " is another process by now, or given up");
            }
            var other = sessions.get(claim.partition());
            if (other != null && other.claim().epoch() >= claim.epoch()) {
                throw new IllegalStateException(
                        "Partition " + claim.partition() + " is open under this or a newer claim");
            }
            sessions.put(claim.partition(), session);
            if (other != null) {
                other.replace();
            }
            if (attacher != null) {
                attacher.attach(session);
            }
        }
        if (stopped.getCount() == 0) {
            session.abandon();
        }
        return session;
    }

    @Override
    public void ended(PartitionSession session) {
        sessions.remove(session.claim().partition(), session);
    }

    @Override
    public boolean unlessReplaced(PartitionSession session, Runnable action) {
        synchronized (attachLock) {
            var open = sessions.get(session.claim().partition());
            if (open != null && open != session) {
                return false;
            }
            action.run();
            return true;
        }
    }

    private void run() {
        try {
            while (stopped.getCount() > 0) {
                apply(machine.expire(System.nanoTime()));
                attempt();
                lookForDeath();
                var delays = machine.state() == LinkState.RECOVERING ? recoveryBackoff : backoff;
                var pause = Math.min(delays.next().toNanos(), machine.nanosLeft(System.nanoTime()));
                if (stopped.await(pause, TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the worker cannot come back, and nothing of it is left. */
    private void lookForDeath() {
        var suspect = deaths.suspect();
        if (suspect == null || machine.state() != LinkState.RECOVERING) {
            return;
        }
        long now = System.nanoTime();
        boolean refused = Knock.isRefused(suspect);
        if (standing.livesElsewhere()) {
            deaths.ended(null);
        } else if (deaths.looked(refused, now)) {
            standing.died();
            standing.problem("the worker died: nobody listens at " + suspect);
            apply(machine.died());
        }
    }

    /** One generation, from dialling to the end of its connection. */
    private void attempt() throws InterruptedException {
        var generation = machine.beginAttempt();
        var connection = new LinkConnection(generation, callIds, options, notices, meters);
        InetSocketAddress listensAt = null;
        boolean met = false;
        try {
            dialer.dial(address, connection.socket(), inTime(options.timing().connectTimeout()));
            keepAlive(connection);
            var hello =
                    Greeting.exchange(
                            connection, options, inTime(options.timing().answerTimeout()));
            if (!registry.claim(hello, this)) {
                throw new AttemptFailedException(
                        "another address leads to the worker " + hello.workerId() + " too", true);
            }
            connection.clock(WorkerClock.read(hello.clockMs()));
            connection.speaks(hello.protocol());
            listensAt = connection.direct(hello);
            met = true;
            adopt(hello);
            connection.greeted();
            reportLeases(connection);
            attachOpenSessions(connection);
            if (!connection.isClosed()) {
                backoff.reset();
                recoveryBackoff.reset();
                var retention = Duration.ofMillis(hello.retentionMs());
                current = connection;
                apply(machine.established(generation, retention));
                connection.awaitClosed();
            }
        } catch (AttemptFailedException e) {
            failed(e, generation);
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("address", standing.authority())
                    .setCause(e)
                    .log("Unexpected error on a link; reconnecting");
        } finally {
            end(connection);
            if (met) {
                deaths.ended(
                        connection.wasClosedThere() && !standing.isLeaving() ? listensAt : null);
            }
        }
    }

    private void end(LinkConnection connection) {
        current = null;
        connection.close("the gateway ends the connection");
        synchronized (attachLock) {
            attacher = null;
        }
        for (var session : sessions.values()) {
            session.suspend(connection);
        }
        standing.gone();
        var change = machine.closed(connection.generation(), System.nanoTime());
        if (change != LinkStateMachine.Change.NONE) {
            standing.problem(connection.closeReason());
            apply(change);
        }
    }

    private void keepAlive(LinkConnection connection) {
        Thread.ofVirtual()
                .name("link-ping-" + standing.authority())
                .start(
                        () -> {
                            try {
                                connection.keepAlive(options.timing().pingInterval());
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private void reportLeases(LinkConnection connection) {
        var reports = new LeaseReports(connection, sessions.values());
        Thread.ofVirtual()
                .name("link-lease-" + standing.authority())
                .start(
                        () -> {
                            try {
                                reports.run(options.timing().pingInterval());
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            } catch (RuntimeException e) {
                                LOG.atError().setCause(e).log("Cannot renew leases; reconnecting");
                                connection.close("leases could not be told");
                            }
                        });
    }

    /**
     * Takes note of who answers. What was opened on another process is gone, also what was never
     * attached: its owner recorded that process as the partition's host.
     */
    private void adopt(Hello.Result hello) {
        WorkerStanding.Meeting meeting;
        List<PartitionSession> before;
        synchronized (attachLock) {
            meeting = standing.met(hello);
            before = List.copyOf(sessions.values());
        }
        switch (meeting) {
            case SAME -> {}
            case NEW_INCARNATION -> lose(before, LinkFailure.INCARNATION_CHANGED);
            case OTHER_WORKER -> lose(before, LinkFailure.UNREACHABLE);
        }
        listener.changed();
    }

    private void attachOpenSessions(LinkConnection connection) throws InterruptedException {
        var attaching = new Attacher(options, connection);
        List<PartitionSession> open;
        synchronized (attachLock) {
            attacher = attaching;
            open = List.copyOf(sessions.values());
        }
        if (machine.state() != LinkState.RECOVERING) {
            open.forEach(attaching::attach);
            return;
        }
        attaching.attachAll(open, machine.nanosLeft(System.nanoTime()));
        if (!connection.isClosed()) {
            // The deadline passed on a living connection: only who was not attached is lost.
            open.stream()
                    .filter(session -> !session.isAttached())
                    .forEach(session -> session.lose(LinkFailure.UNREACHABLE));
        }
    }

    private void failed(AttemptFailedException failure, long generation) {
        meters.attemptsFailed.increment();
        if (standing.problem(failure.getMessage())) {
            LOG.atWarn()
                    .addKeyValue("address", standing.authority())
                    .addKeyValue("reason", failure.getMessage())
                    .log("Cannot reach worker; retrying");
            listener.changed();
        }
        if (failure.isPermanent()) {
            apply(machine.refused(generation));
        }
    }

    private void apply(LinkStateMachine.Change change) {
        if (change == LinkStateMachine.Change.NONE) {
            return;
        }
        var before = standing.state();
        List<PartitionSession> open;
        synchronized (attachLock) {
            standing.state(machine.state());
            open = List.copyOf(sessions.values());
        }
        switch (change) {
            case CONNECTED -> {
                if (before == LinkState.RECOVERING) {
                    meters.resumed.increment();
                }
            }
            case FAILED -> {
                meters.givenUp.increment();
                lose(open, LinkFailure.UNREACHABLE);
            }
            case DEAD -> {
                meters.givenUp.increment();
                lose(open, LinkFailure.DEAD);
            }
            case SUSPENDED, NONE -> {}
        }
        LOG.atInfo()
                .addKeyValue("worker_id", standing.workerId())
                .addKeyValue("address", standing.authority())
                .addKeyValue("state", machine.state())
                .addKeyValue("reason", standing.problem())
                .log("Link state changed");
        listener.changed();
    }

    private static void lose(List<PartitionSession> lost, LinkFailure failure) {
        lost.forEach(session -> session.lose(failure));
    }

    private Duration inTime(Duration timeout) {
        var left = machine.nanosLeft(System.nanoTime());
        return left < timeout.toNanos() ? Duration.ofNanos(left) : timeout;
    }

    /** See {@link WorkerLinks#heard}. */
    boolean isHeard() {
        var via = current;
        return via != null && via.isHeard(options.timing().heardFor());
    }

    /** See {@link WorkerLinks#prepare}. */
    void prepare(List<ServerConfig> configs, Duration atMost) throws InterruptedException {
        var via = current;
        if (via == null) {
            return;
        }
        long begin = System.nanoTime();
        boolean slow = slowUntilNanos - begin > 0;
        long end = begin + (slow ? 0 : atMost.toNanos());
        var asked = new ArrayList<LinkExchange>();
        for (var config : configs) {
            var exchange = new LinkExchange();
            via.ask(LinkMethod.PREPARE, new InstanceOrder.Prepare(config), exchange);
            asked.add(exchange);
        }
        for (var exchange : asked) {
            var left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
            if (exchange.await(left) instanceof LinkExchange.Answer.Silence && !slow) {
                slowUntilNanos = System.nanoTime() + SLOW_FOR.toNanos();
                return;
            }
        }
    }

    /** Tells the worker, which drains, why its partitions stay; never blocks. */
    void stays(String reason) {
        var via = current;
        if (via != null) {
            via.tell(LinkMethod.STAYING, new SessionNotice.Staying(reason));
        }
    }
}
