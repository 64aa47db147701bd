package dev.perigee.console;

import dev.perigee.gateway.deadletter.Letter;
import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.audit.AuditTarget;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.limit.TokenBucket;
import dev.perigee.protocol.topic.RecordKey;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Actions of the console's people: who may do what, how often, and the runs. Whatever is done was
 * recorded before. Any thread.
 */
final class ActionDesk implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ActionDesk.class);

    /** Requests of all people of this gateway together. */
    static final RateLimit LIMIT = new RateLimit(1, 30);

    private static final int MOST_RUNNING = 16;
    private static final int REMEMBERED = 100;

    /** How long the runs may take, all together, to record that they were ended. */
    private static final Duration ENDED = Duration.ofSeconds(7);

    /** How long a stop waits for its record. */
    private static final Duration STOP_RECORDED = Duration.ofSeconds(2);

    private static final String PRIORITY = "immediate";

    private final String gatewayId;
    private final ActionLog log;
    private final WorkerDrains drains;
    private final Letters letters;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final TokenBucket bucket;
    private final LinkedHashMap<String, Running> runs = new LinkedHashMap<>();
    private final LinkedHashMap<String, ActionProgress> drained = new LinkedHashMap<>();
    private boolean closed;

    private record Running(LongAction run, boolean ofMany, Thread thread, AtomicBoolean stopped) {
        boolean isDone() {
            return run.progress().done() || !thread.isAlive();
        }
    }

    ActionDesk(
            String gatewayId,
            ActionLog log,
            WorkerDrains drains,
            Letters letters,
            InstantSource clock) {
        this.gatewayId = gatewayId;
        this.log = log;
        this.drains = drains;
        this.letters = letters;
        this.clock = clock;
        this.bucket = new TokenBucket(LIMIT, clock.instant());
    }

    /**
     * Refuses whoever may not act, and who asks too often.
     *
     * @throws ActionRefusedException when it is refused
     */
    void admit(Person person) throws ActionRefusedException {
        if (person.role() == ActionRole.READ) {
            throw forbidden(person, ActionRole.OPERATE);
        }
        boolean taken;
        lock.lock();
        try {
            taken = bucket.take(clock.instant());
        } finally {
            lock.unlock();
        }
        if (!taken) {
            throw new ActionRefusedException(
                    HttpStatus.TOO_MANY_REQUESTS_429,
                    "Too many actions were asked for: try again in some seconds.");
        }
    }

    private static ActionRefusedException forbidden(Person person, ActionRole needed) {
        LOG.atWarn()
                .addKeyValue("actor", person.name())
                .addKeyValue("role", person.role().wireName())
                .log("An action was refused: the role does not allow it");
        return new ActionRefusedException(
                HttpStatus.FORBIDDEN_403,
                "This needs the role %s; yours is %s. Roles are in console.tokens of the gateways."
                        .formatted(needed.wireName(), person.role().wireName()));
    }

    /**
     * Begins an action, which is recorded when this returns.
     *
     * @throws ActionRefusedException when it is refused, and nothing was done
     */
    ActionProgress begin(Person person, ActionAsk ask, Board board)
            throws ActionRefusedException, InterruptedException {
        if (!person.role().includes(ask.action().needed())) {
            throw forbidden(person, ask.action().needed());
        }
        var actor = actor(person);
        var requestId = "console-" + UUID.randomUUID();
        var worker = ask.worker();
        var progress =
                worker != null
                        ? drain(requestId, actor, ask, worker, board)
                        : ask.action() == AuditAction.REDRIVE
                                ? redrive(requestId, actor, ask)
                                : act(requestId, actor, ask, board);
        LOG.atInfo()
                .addKeyValue("actor", person.name())
                .addKeyValue("action", ask.action().wireName())
                .addKeyValue("request_id", requestId)
                .addKeyValue("targets", progress.total())
                .log("An action of the console was accepted");
        return progress;
    }

    private AuditRecord.Actor actor(Person person) {
        return new AuditRecord.Actor(person.name(), person.role(), "console", gatewayId);
    }

    private ActionProgress act(
            String requestId, AuditRecord.Actor actor, ActionAsk ask, Board board)
            throws ActionRefusedException, InterruptedException {
        var steps = new ArrayList<ActionRun.Step>();
        for (var instance : instances(ask, board)) {
            steps.add(step(requestId, actor, ask, instance));
        }
        var run = new ActionRun(requestId, ask.action(), steps, log, clock);
        start(requestId, run, steps.size() > 1);
        return run.progress();
    }

    private static List<InstanceView> instances(ActionAsk ask, Board board)
            throws ActionRefusedException, InterruptedException {
        var known =
                board.await(Cursor.NONE, null, 0, Duration.ZERO).instances().stream()
                        .collect(Collectors.toMap(InstanceView::processId, Function.identity()));
        var found = new ArrayList<InstanceView>();
        for (var id : ask.processes()) {
            var instance = known.get(id);
            if (instance == null) {
                throw new ActionRefusedException(
                        HttpStatus.NOT_FOUND_404,
                        "There is no instance "
                                + Text.cut(id, Text.NAME)
                                + " now, so nothing was done to any.");
            }
            found.add(instance);
        }
        return found;
    }

    private ActionRun.Step step(
            String requestId, AuditRecord.Actor actor, ActionAsk ask, InstanceView instance) {
        var now = clock.instant();
        var id = "console-" + UUID.randomUUID();
        var target =
                AuditTarget.instance(
                        instance.processId(),
                        instance.teamId(),
                        instance.userId(),
                        instance.installationId(),
                        ask.tool());
        var payload =
                ask.action()
                        .payload(
                                instance.installationId(),
                                instance.teamId(),
                                instance.userId(),
                                ask.tool(),
                                ask.reason());
        return new ActionRun.Step(
                instance.processId(),
                AuditRecord.accepted(id, requestId, ask.action(), target, actor, ask.reason(), now),
                new Command(
                        id,
                        String.valueOf(ask.action().commandType()),
                        PRIORITY,
                        null,
                        now,
                        now.plus(ActionRun.DEADLINE),
                        payload));
    }

    /** One run puts letters back at a time: a second would end the first. */
    private ActionProgress redrive(String requestId, AuditRecord.Actor actor, ActionAsk ask)
            throws ActionRefusedException, InterruptedException {
        var known =
                letters.at(ask.letters()).stream()
                        .collect(Collectors.toMap(Letter::place, Function.identity()));
        var audits = new LinkedHashMap<String, AuditRecord>();
        for (var place : ask.letters()) {
            var letter = known.get(place);
            if (letter == null) {
                throw new ActionRefusedException(
                        HttpStatus.NOT_FOUND_404,
                        "There is no dead letter " + place + " now, so none was put back.");
            }
            if (letter.redrivenTo() != null) {
                throw new ActionRefusedException(
                        HttpStatus.CONFLICT_409,
                        "Dead letter %s was put back before, to %s, so none was put back now. 'perigee redrive --again' sends one again."
                                .formatted(place, Text.cut(letter.redrivenTo(), Text.NAME)));
            }
            audits.put(
                    place,
                    AuditRecord.accepted(
                            "console-" + UUID.randomUUID(),
                            requestId,
                            ask.action(),
                            target(letter),
                            actor,
                            ask.reason(),
                            clock.instant()));
        }
        var run = new RedriveRun(requestId, audits, letters, log, clock);
        start(requestId, run, true);
        return run.progress();
    }

    /** With team and user where the letter has a key that names them, so that erasure finds it. */
    private static AuditTarget target(Letter letter) {
        var command = letter.command();
        var selection =
                "--offset %s (%s%s)"
                        .formatted(
                                letter.place(),
                                Text.cut(letter.origin(), Text.NAME),
                                command == null ? "" : ", " + command);
        try {
            var key = letter.key();
            if (key != null) {
                var named = RecordKey.parse(key.getBytes(StandardCharsets.UTF_8));
                return AuditTarget.selection(named.teamId(), named.userId(), selection);
            }
        } catch (InvalidRecordException e) {
            // Such a key may be why it is a dead letter.
        }
        return AuditTarget.selection(null, null, selection);
    }

    /** Returns when it is recorded, which its own thread does: a stop waits for that, too. */
    private void start(String requestId, LongAction run, boolean ofMany)
            throws ActionRefusedException, InterruptedException {
        var recorded = new CompletableFuture<Boolean>();
        var thread =
                Thread.ofVirtual()
                        .name("console-action")
                        .unstarted(() -> go(requestId, run, recorded));
        enter(requestId, new Running(run, ofMany, thread, new AtomicBoolean()));
        try {
            recorded.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ActionRefusedException refused) {
                throw refused;
            }
            throw new IllegalStateException("The action could not begin", e.getCause());
        }
    }

    private void go(String requestId, LongAction run, CompletableFuture<Boolean> recorded) {
        try {
            run.begin();
        } catch (Throwable e) { // Whatever it is, somebody waits for an answer.
            leave(requestId);
            var problem = run.progress().problem();
            var why = Objects.requireNonNullElse(problem, LongAction.GATEWAY_ENDS);
            recorded.completeExceptionally(
                    e instanceof InterruptedException
                            ? ActionTopics.unavailable(why + " Nothing was done.")
                            : e);
            return;
        }
        recorded.complete(true);
        run.run();
    }

    /** Starts its thread unless it is refused: whoever closes the desk finds it running. */
    private void enter(String requestId, Running running) throws ActionRefusedException {
        lock.lock();
        try {
            var open = runs.values().stream().filter(each -> !each.isDone()).toList();
            if (closed
                    || open.size() >= MOST_RUNNING
                    || (running.ofMany() && open.stream().anyMatch(Running::ofMany))) {
                throw new ActionRefusedException(
                        HttpStatus.SERVICE_UNAVAILABLE_503,
                        "Others are being done: one on several instances or dead letters at a time, and "
                                + MOST_RUNNING
                                + " in all. Try again when they are.");
            }
            running.thread().start();
            runs.put(requestId, running);
            if (runs.size() > REMEMBERED) {
                runs.values().stream()
                        .filter(Running::isDone)
                        .findFirst()
                        .ifPresent(runs.values()::remove);
            }
        } finally {
            lock.unlock();
        }
    }

    private void leave(String requestId) {
        lock.lock();
        try {
            runs.remove(requestId);
        } finally {
            lock.unlock();
        }
    }

    private ActionProgress drain(
            String requestId, AuditRecord.Actor actor, ActionAsk ask, String worker, Board board)
            throws ActionRefusedException, InterruptedException {
        var facts = board.known().workers().get(worker);
        if (facts == null) {
            throw new ActionRefusedException(
                    HttpStatus.NOT_FOUND_404,
                    "No worker " + Text.cut(worker, Text.NAME) + " has told of itself.");
        }
        URI admin = facts.adminUrl();
        if (admin == null) {
            throw new ActionRefusedException(
                    HttpStatus.CONFLICT_409,
                    "Worker "
                            + worker
                            + " does not tell where its admin pages are: use 'perigee drain"
                            + " --admin URL'.");
        }
        var audit =
                AuditRecord.accepted(
                        requestId,
                        requestId,
                        ask.action(),
                        AuditTarget.worker(worker),
                        actor,
                        ask.reason(),
                        clock.instant());
        log.record(List.of(audit));
        try {
            var text = drains.drain(worker, admin, ask.action() == AuditAction.UNDO_DRAIN);
            return remember(ActionProgress.drained(requestId, ask.action(), worker, text));
        } catch (ActionRefusedException e) {
            log.record(List.of(audit.failed(e.reason(), clock.instant())));
            throw e;
        }
    }

    private ActionProgress remember(ActionProgress progress) {
        lock.lock();
        try {
            drained.put(progress.requestId(), progress);
            if (drained.size() > REMEMBERED) {
                drained.pollFirstEntry();
            }
        } finally {
            lock.unlock();
        }
        return progress;
    }

    /** How far a request came, null where it is none, or forgotten. */
    @Nullable ActionProgress progress(String requestId) {
        lock.lock();
        try {
            var running = runs.get(requestId);
            return running == null ? drained.get(requestId) : running.run().progress();
        } finally {
            lock.unlock();
        }
    }

    /** How far those are that this person may stop. */
    List<ActionProgress> underWay(Person person) {
        List<Running> all;
        lock.lock();
        try {
            all = List.copyOf(runs.values());
        } finally {
            lock.unlock();
        }
        return all.stream()
                .filter(running -> !running.isDone())
                .map(running -> running.run().progress())
                .filter(run -> person.role().includes(run.action().needed()))
                .toList();
    }

    /**
     * Stops what is under way, whoever began it, once it is recorded who does, or cannot be soon.
     * What was begun goes on; what was recorded and not done is recorded as failed.
     *
     * @throws ActionRefusedException when the person may not, or there is none of this id here
     */
    ActionProgress stop(Person person, String requestId)
            throws ActionRefusedException, InterruptedException {
        Running running;
        lock.lock();
        try {
            running = runs.get(requestId);
        } finally {
            lock.unlock();
        }
        if (running == null) {
            throw new ActionRefusedException(
                    HttpStatus.NOT_FOUND_404, "This gateway knows of no such action that it does.");
        }
        var needed = running.run().progress().action().needed();
        if (!person.role().includes(needed)) {
            throw forbidden(person, needed);
        }
        if (!running.isDone() && running.stopped().compareAndSet(false, true)) {
            var why = "Stopped by " + Text.cut(person.name(), Text.NAME) + ".";
            running.run().stopFor(why);
            var id = "console-" + UUID.randomUUID();
            var progress = running.run().progress();
            var audit = progress.stopped(id, actor(person), why, clock.instant());
            var recording = Thread.ofVirtual().name("console-stop").start(() -> recordStop(audit));
            try {
                var _ = recording.join(STOP_RECORDED);
            } finally {
                running.thread().interrupt();
            }
            LOG.atInfo()
                    .addKeyValue("actor", person.name())
                    .addKeyValue("request_id", requestId)
                    .log("An action of the console was stopped");
        }
        return running.run().progress();
    }

    private void recordStop(AuditRecord audit) {
        try {
            log.record(List.of(audit));
        } catch (ActionRefusedException | InterruptedException e) {
            LOG.atWarn()
                    .addKeyValue("actor", audit.actor())
                    .addKeyValue("request_id", audit.requestId())
                    .log("A stop could not be recorded, and is made: {}", e.getMessage());
        }
    }

    /** Ends the runs; they record what they did not do, and are waited for some seconds. */
    @Override
    public void close() {
        List<Running> open;
        lock.lock();
        try {
            closed = true;
            open = List.copyOf(runs.values());
        } finally {
            lock.unlock();
        }
        open.forEach(running -> running.thread().interrupt());
        try {
            long end = System.nanoTime() + ENDED.toNanos();
            for (var running : open) {
                if (running.thread().isAlive()) {
                    var _ = running.thread().join(Duration.ofNanos(end - System.nanoTime()));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            log.close();
        }
    }
}
