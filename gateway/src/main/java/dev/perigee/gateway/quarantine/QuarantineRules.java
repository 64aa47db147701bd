package dev.perigee.gateway.quarantine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides who answers for the death of workers. Of all that ran on a worker that died, any may have
 * ended it; whoever ran on several is a suspect and starts alone, on trial. A worker that dies
 * meanwhile convicts it. Pure: the clock is passed in, and what changes is returned, by process id,
 * {@link Suspicion#NONE} for what is forgotten.
 *
 * <pre>
 *              2 deaths                       its turn              lives
 *   free ──────────────────▶ waits ─────────────────────▶ on trial ────────▶ tried
 *     ▲                        ▲  │ another is convicted     │                │
 *     │ an hour, or a command  │  ▼                          │ dies           │ one more death
 *     │                        │ free                        ▼                │
 *     └── tried                └─────────────────────────────│────────────────┘
 *     └─────────────────────────────────── a command ──── held
 * </pre>
 */
public final class QuarantineRules {
    /** A worker that dies so soon after a start was hardly ended by something else, twice. */
    private static final Duration PROMPT = Duration.ofMinutes(1);

    /** A death that comes later after a start says nothing of how long a trial must be. */
    private static final Duration LONGEST_TRIAL = Duration.ofMinutes(2);

    private static final Standing FREE = new Standing.Free();

    private final QuarantineLimits limits;

    public QuarantineRules(QuarantineLimits limits) {
        this.limits = limits;
    }

    /** Whether deaths count at all. */
    public boolean areOn() {
        return limits.deaths() > 0;
    }

    /**
     * What the death of a worker changes.
     *
     * @param known all suspicions of the partition
     * @param ran what ran on the worker
     * @param onTrial what ran there alone of all suspects that were started since; null where none
     *     did, or it is not known to have been alone
     */
    public Map<String, Suspicion> afterDeath(
            Map<String, Suspicion> known,
            Map<String, Ran> ran,
            @Nullable String onTrial,
            String workerId,
            String incarnation,
            Instant now) {
        var changes = new LinkedHashMap<String, Suspicion>();
        if (onTrial == null) {
            ran.forEach(
                    (id, how) ->
                            changes.put(
                                    id,
                                    known.getOrDefault(id, Suspicion.NONE)
                                            .with(
                                                    death(workerId, incarnation, now, how),
                                                    now.minus(limits.memory()))));
            return changes;
        }
        var trial = ran.getOrDefault(onTrial, new Ran(Duration.ZERO, false));
        changes.put(
                onTrial,
                known.getOrDefault(onTrial, Suspicion.NONE)
                        .with(death(workerId, incarnation, now, trial), Instant.MIN)
                        .withHeld());
        known.forEach(
                (id, other) -> {
                    if (!id.equals(onTrial) && isSuspect(other) && !other.held()) {
                        afterConviction(other, ran.containsKey(id), changes, id);
                    }
                });
        return changes;
    }

    /**
     * Another suspect was convicted. One that did not run is not needed to explain the death; one
     * that did may have caused it all the same, and is tried again.
     */
    private void afterConviction(
            Suspicion other, boolean ran, Map<String, Suspicion> changes, String id) {
        if (ran) {
            changes.put(id, other.withTried(false));
        } else if (!isPrompt(other)) {
            changes.put(id, Suspicion.NONE);
        }
    }

    private static Death death(String workerId, String incarnation, Instant now, Ran how) {
        return new Death(workerId, incarnation, now, how.time().toMillis(), how.ordered());
    }

    /** What changes when a worker that was taken for dead answers. */
    public Map<String, Suspicion> afterAnswer(
            Map<String, Suspicion> known, String workerId, String incarnation) {
        var changes = new LinkedHashMap<String, Suspicion>();
        known.forEach(
                (id, suspicion) -> {
                    var next = suspicion.without(workerId, incarnation);
                    if (!next.equals(suspicion)) {
                        changes.put(id, next.isNone() ? Suspicion.NONE : next);
                    }
                });
        return changes;
    }

    /** What is forgotten by now: whatever may run, and ran on no worker that died lately. */
    public Map<String, Suspicion> afterTime(Map<String, Suspicion> known, Instant now) {
        var changes = new LinkedHashMap<String, Suspicion>();
        known.forEach(
                (id, suspicion) -> {
                    if (standing(suspicion, now) instanceof Standing.Free
                            && !now.isBefore(suspicion.last().plus(limits.memory()))) {
                        changes.put(id, Suspicion.NONE);
                    }
                });
        return changes;
    }

    /** It was tried, and its worker lives. */
    public Suspicion afterTrial(Suspicion suspicion) {
        return suspicion.withTried(true);
    }

    /** Whether an installation may run. */
    public Standing standing(@Nullable Suspicion suspicion, Instant now) {
        if (suspicion == null || !areOn()) {
            return FREE;
        }
        if (suspicion.held()) {
            return new Standing.Held(
                    ("Quarantined: its worker died when it was started alone, after %d others on"
                                    + " which it was running. It stays stopped until it is restarted or"
                                    + " configured anew: mend it first")
                            .formatted(suspicion.deaths().size() - 1));
        }
        if (!isSuspect(suspicion) || suspicion.tried()) {
            return FREE;
        }
        var from = isPrompt(suspicion) ? suspicion.last().plus(limits.memory()) : suspicion.last();
        var when =
                from.isAfter(now)
                        ? "from " + from.truncatedTo(ChronoUnit.SECONDS) + " on"
                        : "when its turn comes";
        return new Standing.Waits(
                from,
                ("Quarantined: it was running when %d workers died, the last at %s. It starts"
                                + " alone %s, or at once when it is restarted or configured anew")
                        .formatted(
                                suspicion.deaths().size(),
                                suspicion.last().truncatedTo(ChronoUnit.SECONDS),
                                when));
    }

    /** How long nobody is tried after a worker was given what else it runs. */
    public Duration quiet() {
        return limits.quiet();
    }

    /**
     * How long it must run alone: longer than the workers lived after its start, where they died
     * soon.
     */
    public Duration trial(Suspicion suspicion) {
        var shortest =
                suspicion.deaths().stream()
                        .map(Death::ran)
                        .min(Comparator.naturalOrder())
                        .orElse(Duration.ZERO);
        var longer = shortest.plus(shortest.dividedBy(2));
        return longer.compareTo(limits.trial()) > 0 && longer.compareTo(LONGEST_TRIAL) <= 0
                ? longer
                : limits.trial();
    }

    private boolean isSuspect(Suspicion suspicion) {
        return suspicion.deaths().size() >= limits.deaths();
    }

    /**
     * Whether each worker died soon after its start, one of them after a start that nothing else
     * came with. A trial would cost one more worker and show what is known.
     */
    private static boolean isPrompt(Suspicion suspicion) {
        return suspicion.deaths().size() > 1
                && suspicion.deaths().stream().allMatch(death -> death.ran().compareTo(PROMPT) <= 0)
                && suspicion.deaths().stream().anyMatch(Death::ordered);
    }
}
