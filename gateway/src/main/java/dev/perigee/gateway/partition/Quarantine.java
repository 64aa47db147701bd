package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.quarantine.QuarantineRules;
import dev.perigee.gateway.quarantine.Ran;
import dev.perigee.gateway.quarantine.Standing;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.protocol.link.InstanceOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Suspicions against one partition's instances of ending workers, and which of them may run. A
 * death is counted by the owner that was attached, when it gives the session up though the worker
 * announced nothing: a worker that left, or lives, did not die. Suspicions are in the state topic,
 * so they survive owners. For the owner's thread, but for {@link #suspects}.
 */
final class Quarantine implements Trial.Docket {
    private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);

    private final PartitionContext context;
    private final QuarantineRules rules;
    private final SuspectUsers users;
    private final Trial trial;
    private final QuarantineRelease release;
    private volatile int suspects;

    Quarantine(PartitionContext context) {
        this.context = context;
        this.rules = context.services().quarantine();
        this.users = new SuspectUsers(context);
        this.trial = new Trial(context, this);
        this.release = new QuarantineRelease(context, (id, next) -> change(Map.of(id, next)));
    }

    /** How many instances do not run, or are on trial; any thread. */
    int suspects() {
        return suspects;
    }

    /** Why an instance may not be run now; null where it may. */
    InstanceOrder.@Nullable Quarantine of(DesiredInstance instance) {
        var processId = instance.processId();
        if (instance.isStopped() || trial.mayRun(processId) || release.isOf(processId)) {
            return null;
        }
        return switch (standing(processId)) {
            case Standing.Free() -> null;
            case Standing.Waits(var from, var message) ->
                    new InstanceOrder.Quarantine(message, false);
            case Standing.Held(var message) -> new InstanceOrder.Quarantine(message, true);
        };
    }

    /**
     * The session is attached, for the first time or again.
     *
     * @param resumed whether the worker has the partition's processes; else it is restored there
     */
    void attached(Session session, boolean resumed) {
        session.awake().resumed(now());
        workersChanged();
        if (!resumed) {
            trial.restoring();
        }
        trial.resumed();
        if (!rules.areOn()) {
            List.copyOf(context.state().suspicions().keySet())
                    .forEach(id -> free(session, id, Suspicion.NONE));
        }
    }

    /** The session serves, and something may have changed. */
    void proceed() {
        trial.proceed();
    }

    /** The link is down. */
    void suspended(Session session) {
        session.awake().suspended(now());
        trial.suspended();
    }

    /** The session ended; counts, before the owner looks for another worker. */
    void lost(Session session, LinkFailure failure) {
        var subject = subject();
        var host = context.state().host();
        if (host == null || !isDeath(session, failure, host)) {
            return;
        }
        var known = context.state().suspicions();
        var ran = ran(session);
        var changes =
                rules.afterDeath(known, ran, subject, host.workerId(), host.incarnation(), now());
        if (subject != null) {
            changes.putAll(users.siblings(subject));
        }
        var writes = users.lost(changes, ran.keySet(), subject, now());
        if (!changes.isEmpty()) {
            context.services().metrics().deathCounted();
            LOG.atWarn()
                    .addKeyValue("partition", context.partition())
                    .addKeyValue("worker_id", host.workerId())
                    .addKeyValue("reason", failure)
                    .addKeyValue("running", changes.size())
                    .log("A worker died; it counts against what was running there");
        }
        change(changes, writes);
    }

    /** The instance on trial; null when there is none or it was removed meanwhile. */
    private @Nullable String subject() {
        var tried = trial.subject();
        return tried == null || context.state().instance(tried) == null ? null : tried;
    }

    /** The session is over, however that came. */
    void over() {
        release.over();
        trial.over();
    }

    /** A worker came, went or changed. */
    void workersChanged() {
        var session = context.session();
        var host = context.state().host();
        for (var worker : context.services().links().workers()) {
            if (session != null && host != null && isProcess(worker, host)) {
                session.workerLeaves(worker.isDraining());
            }
            answers(worker);
        }
    }

    /** What is due by time. */
    void sweep() {
        change(
                rules.afterTime(context.state().suspicions(), now()),
                users.change(rules.users().afterTime(context.state().suspectUsers(), now())));
        trial.proceed();
    }

    /** A command is accepted; returns what changes by that, to be written with it. */
    List<ProducerRecord<byte[], byte[]>> commanded(List<CommandPlan.Step> steps) {
        return steps.stream()
                .filter(CommandPlan.Step::startsAnew)
                .flatMap(step -> commanded(step).stream())
                .toList();
    }

    private List<ProducerRecord<byte[], byte[]>> commanded(CommandPlan.Step step) {
        var processId = step.processId();
        trial.commanded(processId);
        var before = context.state().suspicion(processId);
        var interrupted = release.interrupt(processId);
        var known = interrupted == null ? before : interrupted;
        var next = rules.afterCommand(known, users.of(step), step.start(), now());
        if (next.equals(Objects.requireNonNullElse(before, Suspicion.NONE))) {
            return List.of();
        }
        note(processId, next);
        count();
        return List.of(context.stateTopic().suspicion(processId, next));
    }

    /** That command is durable: a trial that began meanwhile was of what is replaced now. */
    void accepted(List<CommandPlan.Step> steps) {
        steps.stream()
                .filter(CommandPlan.Step::startsAnew)
                .forEach(step -> trial.commanded(step.processId()));
    }

    @Override
    public @Nullable DesiredInstance next() {
        record Turn(Instant from, DesiredInstance instance) {}
        var now = now();
        return context.state().suspicions().keySet().stream()
                .map(context.state()::instance)
                .filter(Objects::nonNull)
                .filter(instance -> !instance.isStopped())
                .map(
                        instance ->
                                standing(instance.processId())
                                                instanceof Standing.Waits(var from, var _)
                                        ? new Turn(from, instance)
                                        : null)
                .filter(Objects::nonNull)
                .filter(turn -> !turn.from().isAfter(now))
                .min(
                        Comparator.comparing(Turn::from)
                                .thenComparing(turn -> turn.instance().processId()))
                .map(Turn::instance)
                .orElse(null);
    }

    @Override
    public Duration quiet() {
        return rules.quiet();
    }

    @Override
    public Duration time(String processId) {
        return rules.trial(
                Objects.requireNonNullElse(context.state().suspicion(processId), Suspicion.NONE));
    }

    @Override
    public void begun(DesiredInstance instance) {
        var session = context.session();
        if (session != null) {
            session.awake().given(instance.processId(), false, now());
        }
    }

    @Override
    public void passed(String processId) {
        var suspicion = context.state().suspicion(processId);
        if (suspicion != null) {
            LOG.atInfo()
                    .addKeyValue("process_id", processId)
                    .addKeyValue("partition", context.partition())
                    .log("A quarantined instance ran alone without ending its worker; released");
            change(Map.of(processId, rules.afterTrial(suspicion, now())));
        }
    }

    private boolean isDeath(Session session, LinkFailure failure, StateRecord.Host host) {
        if (!rules.areOn() || !session.wasAttached() || session.isWorkerLeaving()) {
            return false;
        }
        return switch (failure) {
            case INCARNATION_CHANGED, DEAD -> true;
            case UNREACHABLE ->
                    context.services().links().workers().stream()
                            .noneMatch(worker -> isProcess(worker, host) && isThere(worker));
            case EXPIRED, DRAINING, ENDED, REFUSED -> false;
        };
    }

    /** What ran in the session when it was heard of last, whatever is wanted of it by now. */
    private Map<String, Ran> ran(Session session) {
        var ran = new HashMap<>(session.awake().ran(now()));
        ran.keySet().removeIf(processId -> context.state().instance(processId) == null);
        return ran;
    }

    /** A worker answers that was taken for dead. */
    private void answers(WorkerView worker) {
        var workerId = worker.workerId();
        var incarnation = worker.incarnation();
        if (workerId == null || incarnation == null || !isThere(worker)) {
            return;
        }
        change(
                Map.of(),
                users.change(
                        rules.users()
                                .afterAnswer(
                                        context.state().suspectUsers(), workerId, incarnation)));
        var changes = rules.afterAnswer(context.state().suspicions(), workerId, incarnation);
        var session = context.session();
        changes.forEach(
                (processId, next) -> {
                    boolean runs = rules.standing(next, now()) instanceof Standing.Free;
                    if (!runs || standing(processId) instanceof Standing.Free) {
                        change(Map.of(processId, next));
                    } else if (session != null && session.wasAttached()) {
                        free(session, processId, next);
                    }
                });
    }

    private void free(Session session, String processId, Suspicion next) {
        var instance = context.state().instance(processId);
        if (instance == null) {
            change(Map.of(processId, next));
        } else if (!release.isOf(processId)) {
            trial.abandon(processId);
            release.begin(session, instance, next);
        }
    }

    private void change(Map<String, Suspicion> changes) {
        change(changes, List.of());
    }

    /**
     * Takes over what changes, and writes it.
     *
     * @param more what is to be written with it
     */
    private void change(Map<String, Suspicion> changes, List<ProducerRecord<byte[], byte[]>> more) {
        if (changes.isEmpty() && more.isEmpty()) {
            return;
        }
        var writes = new ArrayList<>(more);
        changes.forEach((id, next) -> writes.add(context.stateTopic().suspicion(id, next)));
        changes.forEach(this::note);
        count();
        InterruptDeferral.run(() -> context.writer().write(writes, _ -> {}));
    }

    private void note(String processId, Suspicion next) {
        var before = standing(processId);
        context.state().suspect(processId, next);
        var after = standing(processId);
        if (before.getClass() != after.getClass()) {
            context.services().metrics().quarantined(after);
            LOG.atInfo()
                    .addKeyValue("process_id", processId)
                    .addKeyValue("partition", context.partition())
                    .addKeyValue("deaths", next.deaths().size())
                    .addKeyValue("standing", after.getClass().getSimpleName())
                    .log("Quarantine of an instance changed");
        }
    }

    /** Counts anew. */
    void count() {
        suspects =
                (int)
                        context.state().suspicions().keySet().stream()
                                .filter(id -> !(standing(id) instanceof Standing.Free))
                                .count();
    }

    private Standing standing(String processId) {
        return rules.standing(context.state().suspicion(processId), now());
    }

    private static boolean isProcess(WorkerView worker, StateRecord.Host host) {
        return host.workerId().equals(worker.workerId())
                && host.incarnation().equals(worker.incarnation());
    }

    private static boolean isThere(WorkerView worker) {
        return worker.state() == LinkState.CONNECTED;
    }

    private Instant now() {
        return context.services().clock().instant();
    }
}
