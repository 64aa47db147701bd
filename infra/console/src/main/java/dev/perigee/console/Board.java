package dev.perigee.console;

import dev.perigee.console.Entry.Call;
import dev.perigee.console.Entry.Happening;
import dev.perigee.console.Entry.LogLine;
import dev.perigee.console.FleetView.WorkerFacts;
import dev.perigee.gateway.partition.Whereabouts;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.Heartbeat;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * State of the console while there are viewers. Each change has a number, the version; a viewer who
 * knows all up to some version asks for what came after. One thread fills it, any may ask.
 */
final class Board {
    private static final int MAX_INSTANCES = 10_000;
    private static final int MAX_WORKERS = 1_000;

    private final String id = UUID.randomUUID().toString().substring(0, 8);
    private final Instant since;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Budget budget;
    private final Instances instances;
    private final LinkedHashMap<String, WorkerFacts> workers = new LinkedHashMap<>();
    private final Map<Integer, Claim> claims = new TreeMap<>();
    private final Map<Integer, Whereabouts.Hosted> hosts = new TreeMap<>();
    private final CallMeter calls;
    private long version;
    private @Nullable FleetView fleet;
    private long fleetVersion;
    private boolean caughtUp;
    private @Nullable String problem;
    private long unreadable;
    private boolean closed;

    /** The last claim of a partition. */
    record Claim(String gatewayId, Instant at, long epoch) {}

    /** Snapshot of the fleet as the topics have it. */
    record Known(
            Map<String, WorkerFacts> workers,
            Map<Integer, Claim> claims,
            Map<Integer, Whereabouts.Hosted> hosts,
            FleetView.Reading reading) {}

    /**
     * An empty one.
     *
     * @param historyBytes how much history is kept, about
     */
    Board(long historyBytes, Instant since) {
        this(historyBytes, MAX_INSTANCES, since);
    }

    Board(long historyBytes, int maxInstances, Instant since) {
        this.budget = new Budget(historyBytes);
        this.instances = new Instances(maxInstances, budget);
        this.since = since;
        this.calls = new CallMeter(since);
    }

    /** An event of an instance; a repeat changes nothing. */
    void event(Event event, @Nullable RecordId record, int partition) {
        change(
                () -> {
                    var origin = event.origin();
                    var processId = origin.processId();
                    var track = instances.track(processId, version);
                    switch (event.body()) {
                        case EventBody.StatusChanged body -> {
                            if (isNew(track.statuses, record)) {
                                instances.touch(processId, version).status(origin, partition, body);
                            }
                        }
                        case EventBody.Logs body -> {
                            if (isNew(track.logs, record)) {
                                body.logs()
                                        .forEach(line -> track.logs.add(LogLine.of(line), version));
                            }
                        }
                        case EventBody.LogRateLimitExceeded body -> {
                            if (isNew(track.logs, record)) {
                                track.logs.add(LogLine.of(origin.timestamp(), body), version);
                            }
                        }
                        case EventBody.RequestLogs body -> {
                            if (isNew(track.calls, record)) {
                                body.requests().forEach(call -> take(call, track));
                            }
                        }
                        case EventBody body -> {
                            var detail = LifecycleSentences.detail(body);
                            if (detail != null && isNew(track.happenings, record)) {
                                instances
                                        .touch(processId, version)
                                        .happened(Happening.of(event, detail), body);
                            }
                        }
                    }
                });
    }

    private void take(EventBody.RequestLog call, InstanceTrack track) {
        track.calls.add(Call.of(call), version);
        calls.add(call.timestamp(), call.responseTimeMs(), call.success());
    }

    /** Calls of the last minute. */
    CallMeter.Rates calls(Instant now) {
        lock.lock();
        try {
            return calls.rates(now);
        } finally {
            lock.unlock();
        }
    }

    /** An instance was uninstalled. */
    void removed(String processId) {
        change(() -> instances.remove(processId, version));
    }

    void heartbeat(Heartbeat heartbeat) {
        change(
                () -> {
                    var known = workers.get(heartbeat.workerId());
                    if (known != null && heartbeat.timestamp().isBefore(known.at())) {
                        return;
                    }
                    workers.putLast(heartbeat.workerId(), WorkerFacts.of(heartbeat));
                    if (workers.size() > MAX_WORKERS) {
                        workers.pollFirstEntry();
                    }
                    for (var team : heartbeat.processesByTeam().values()) {
                        for (var process : team) {
                            var said = ProcessFacts.of(process, heartbeat.timestamp());
                            var track = instances.track(process.processId(), version);
                            if (track.heartbeat(said, heartbeat.timestamp())) {
                                var _ = instances.touch(process.processId(), version);
                            }
                        }
                    }
                });
    }

    void whereabouts(int partition, long offset, Whereabouts said) {
        change(
                () -> {
                    switch (said) {
                        case Whereabouts.Claimed(var gatewayId, var at) ->
                                claims.put(partition, new Claim(gatewayId, at, offset));
                        case Whereabouts.Hosted hosted -> hosts.put(partition, hosted);
                    }
                });
    }

    void unreadable() {
        change(() -> unreadable++);
    }

    /** All is read that was there; viewers hear of it at once, as what is not there is not. */
    void caughtUp() {
        change(
                () -> {
                    caughtUp = true;
                    if (fleet != null) {
                        fleet = fleet.read(reading());
                        fleetVersion = version;
                    }
                });
    }

    /** Why the topics cannot be read, null when they can. */
    void problem(@Nullable String now) {
        change(() -> problem = now);
    }

    /** Waits until everything is read that was there at the beginning, at most so long. */
    void awaitCaughtUp(Duration atMost) throws InterruptedException {
        long left = atMost.toNanos();
        lock.lock();
        try {
            while ((!caughtUp || fleet == null) && problem == null && left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    Known known() {
        lock.lock();
        try {
            return new Known(Map.copyOf(workers), Map.copyOf(claims), Map.copyOf(hosts), reading());
        } finally {
            lock.unlock();
        }
    }

    private FleetView.Reading reading() {
        return new FleetView.Reading(
                caughtUp, problem, since, unreadable, budget.dropped(), instances.forgotten());
    }

    /** The fleet as it was drawn, with what is read by now. */
    void fleet(FleetView drawn) {
        change(
                () -> {
                    var now = drawn.read(reading());
                    if (!now.equals(fleet)) {
                        fleet = now;
                        fleetVersion = version;
                    }
                });
    }

    /** Closes the board; wakes all waiting viewers. */
    void close() {
        change(() -> closed = true);
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * What came after what a viewer knows; waits for something, at most so long, until there is
     * any.
     *
     * @param known of the fleet and the list of instances
     * @param looksAt the instance whose history is wanted too, null for none
     * @param knownOfIt the version up to which its history is known
     */
    Update await(Cursor known, @Nullable String looksAt, long knownOfIt, Duration atMost)
            throws InterruptedException {
        long left = atMost.toNanos();
        lock.lock();
        try {
            var update = after(known, looksAt, knownOfIt);
            while (update.isEmpty() && left > 0 && !closed) {
                left = changed.awaitNanos(left);
                update = after(known, looksAt, knownOfIt);
            }
            return update;
        } finally {
            lock.unlock();
        }
    }

    private Update after(Cursor known, @Nullable String looksAt, long knownOfIt) {
        boolean same =
                known.board().equals(id)
                        && known.version() <= version
                        && instances.knowsRemovalsAfter(known.version());
        long from = same ? known.version() : 0;
        return new Update(
                new Cursor(id, version),
                !same,
                fleetVersion > from ? fleet : null,
                instances.changedAfter(from),
                same ? instances.removedAfter(from) : List.of(),
                looksAt == null ? null : detail(looksAt, same ? knownOfIt : 0));
    }

    private Update.Detail detail(String processId, long from) {
        var found = instances.find(processId);
        var track = found == null ? new InstanceTrack(processId, budget) : found;
        return new Update.Detail(
                processId,
                track.logs.after(from),
                track.calls.after(from),
                track.statuses.after(from),
                track.happenings.after(from));
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            version++;
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static boolean isNew(Ring<?> ring, @Nullable RecordId record) {
        return record == null || ring.isNew(record);
    }
}
