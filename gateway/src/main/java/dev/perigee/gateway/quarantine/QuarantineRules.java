package dev.perigee.gateway.quarantine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
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
 *     ▲                      ▲ ▲  │ another is convicted     │                │
 *     │ an hour after that     │ │  ▼                          │ dies           │ one more death,
 *     └── tried                │ │ free                        ▼                │ or another
 *                              │ └─── a command, and time ─── held              │ configuration
 *                              └────────────────────────────────────────────────┘
 * </pre>
 *
 * No command forgets a death. What a user installs or changes takes over the deaths that the user's
 * other installations answer for, see {@link UserRules}.
 */
public final class QuarantineRules {
    /** A death that comes later after a start says nothing of how long a trial must be. */
    private static final Duration LONGEST_TRIAL = Duration.ofMinutes(2);

    private static final Standing FREE = new Standing.Free();

    private final QuarantineLimits limits;
    private final UserRules users;

    public QuarantineRules(QuarantineLimits limits) {
        this.limits = limits;
        this.users = UserRules.of(limits);
    }

    /** What users answer for. */
    public UserRules users() {
        return users;
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
                                    oneMore(
                                            known.get(id),
                                            death(workerId, incarnation, now, how),
                                            now)));
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
            changes.put(id, other.untried());
        } else if (!other.isGrave()) {
            changes.put(id, Suspicion.NONE);
        }
    }

    /**
     * What changes besides for suspects of the user of whom one was convicted: they are not free by
     * that, they are tried; and when it is not the first, they wait as what was held does.
     *
     * @param siblings the user's other installations
     * @param user what the user answered for before
     */
    public Map<String, Suspicion> afterSibling(
            Map<String, Suspicion> known, Set<String> siblings, @Nullable UserSuspicion user) {
        boolean again = user != null && user.convicted();
        var changes = new LinkedHashMap<String, Suspicion>();
        known.forEach(
                (id, suspicion) -> {
                    if (siblings.contains(id) && isSuspect(suspicion) && !suspicion.held()) {
                        changes.put(id, again ? suspicion.released() : suspicion.untried());
                    }
                });
        return changes;
    }

    /** Of a suspect no death is forgotten until it has run well for long. */
    private Suspicion oneMore(@Nullable Suspicion known, Death death, Instant now) {
        var before = remembered(known, now);
        return before.with(death, isSuspect(before) ? Instant.MIN : now.minus(limits.memory()));
    }

    private Suspicion remembered(@Nullable Suspicion known, Instant now) {
        return known == null || isForgotten(known, now) ? Suspicion.NONE : known;
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
                    if (isForgotten(suspicion, now)) {
                        changes.put(id, Suspicion.NONE);
                    }
                });
        return changes;
    }

    private boolean isForgotten(Suspicion suspicion, Instant now) {
        return suspicion.isNone()
                || (standing(suspicion, now) instanceof Standing.Free
                        && !now.isBefore(suspicion.goodSince().plus(limits.memory())));
    }

    /** It was tried, and its worker lives. */
    public Suspicion afterTrial(Suspicion suspicion, Instant now) {
        return suspicion.passed(now);
    }

    /**
     * What an installation answers for once a command starts it anew.
     *
     * @param known null where nothing counts against it, or it is new
     * @param user what its user answers for, null for nothing
     * @param start how; what was stopped answers as well for what its user did meanwhile
     */
    public Suspicion afterCommand(
            @Nullable Suspicion known,
            @Nullable UserSuspicion user,
            CommandedStart start,
            Instant now) {
        if (!areOn()) {
            return known == null ? Suspicion.NONE : known;
        }
        var before = remembered(known, now);
        var released = before.held() ? before.released() : before;
        var counting = user == null || users.isForgotten(user, now) ? null : user;
        return switch (start) {
            case AGAIN -> released;
            case AFTER_STOP ->
                    counting == null || before.passedAfter(counting.last())
                            ? released
                            : released.with(counting);
            case CHANGED -> counting == null ? released.untried() : released.with(counting);
        };
    }

    /** Whether an installation may run. */
    public Standing standing(@Nullable Suspicion suspicion, Instant now) {
        if (suspicion == null || !areOn()) {
            return FREE;
        }
        if (suspicion.held()) {
            return new Standing.Held(held(suspicion, now));
        }
        return !isSuspect(suspicion) || suspicion.tried()
                ? FREE
                : new Standing.Waits(from(suspicion), waits(suspicion, now));
    }

    private Instant from(Suspicion suspicion) {
        return suspicion.isGrave() ? suspicion.last().plus(limits.memory()) : suspicion.last();
    }

    private String waits(Suspicion suspicion, Instant now) {
        return ("Quarantined: %s running when %d workers died, the last at %s. It starts alone %s."
                        + " A restart or another configuration does not change that")
                .formatted(
                        suspicion.ofUser() ? "it or another server of its user was" : "it was",
                        suspicion.deaths().size(),
                        suspicion.last().truncatedTo(ChronoUnit.SECONDS),
                        turn(from(suspicion), now));
    }

    private String held(Suspicion suspicion, Instant now) {
        return ("Quarantined: its worker died when it was started alone, after %d others under which"
                        + " it%s was running. It stays stopped until it is restarted or configured"
                        + " anew: mend it first. Then it starts alone %s")
                .formatted(
                        suspicion.deaths().size() - 1,
                        suspicion.ofUser() ? " or another server of its user" : "",
                        turn(suspicion.last().plus(limits.memory()), now));
    }

    private static String turn(Instant from, Instant now) {
        return from.isAfter(now)
                ? "from " + from.truncatedTo(ChronoUnit.SECONDS) + " on"
                : "when its turn comes";
    }

    /** How long no trial begins after a partition was restored on a worker. */
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
}
