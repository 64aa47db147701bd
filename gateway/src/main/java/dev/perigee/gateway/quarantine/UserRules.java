package dev.perigee.gateway.quarantine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Decides what users answer for, so that an installation which ended workers is not forgotten with
 * its id. A user answers for the deaths of all installations, for as long as a death counts. Pure,
 * as {@link QuarantineRules} is: what changes is returned, by user, {@link UserSuspicion#NONE} for
 * what is forgotten.
 */
public final class UserRules {
    /** So many users of one partition are remembered; of too many those of the oldest deaths go. */
    static final int MOST_USERS = 10_000;

    private final Duration memory;
    private final int most;

    UserRules(Duration memory, int most) {
        this.memory = memory;
        this.most = most;
    }

    /** With the memory of what installations answer for. */
    public static UserRules of(QuarantineLimits limits) {
        return new UserRules(limits.memory(), MOST_USERS);
    }

    /**
     * What the death of a worker changes where nobody was convicted by it.
     *
     * @param accused what the installations against which it counts answer for now, by user
     */
    public Map<String, UserSuspicion> afterDeath(
            Map<String, UserSuspicion> known, Map<String, List<Suspicion>> accused, Instant now) {
        var changes = new LinkedHashMap<String, UserSuspicion>();
        accused.forEach(
                (user, suspicions) ->
                        changes.put(
                                user,
                                with(
                                        known.getOrDefault(user, UserSuspicion.NONE),
                                        suspicions,
                                        false,
                                        now)));
        forgetOldest(known, changes);
        return changes;
    }

    /**
     * What the death of a worker changes when it convicts an installation. As with installations, a
     * user who ran nothing there is not needed to explain it.
     *
     * @param user of the installation that is held now
     * @param ran the users of whom something ran there
     */
    public Map<String, UserSuspicion> afterConviction(
            Map<String, UserSuspicion> known,
            String user,
            Suspicion held,
            Set<String> ran,
            Instant now) {
        var changes = new LinkedHashMap<String, UserSuspicion>();
        known.forEach(
                (other, suspicion) -> {
                    if (!other.equals(user) && !ran.contains(other) && !suspicion.isGrave()) {
                        changes.put(other, UserSuspicion.NONE);
                    }
                });
        changes.put(
                user, with(known.getOrDefault(user, UserSuspicion.NONE), List.of(held), true, now));
        forgetOldest(known, changes);
        return changes;
    }

    /** What changes when a worker that was taken for dead answers. */
    public Map<String, UserSuspicion> afterAnswer(
            Map<String, UserSuspicion> known, String workerId, String incarnation) {
        var changes = new LinkedHashMap<String, UserSuspicion>();
        known.forEach(
                (user, suspicion) -> {
                    var next = suspicion.without(workerId, incarnation);
                    if (!next.equals(suspicion)) {
                        changes.put(user, next);
                    }
                });
        return changes;
    }

    /** What is forgotten by now. */
    public Map<String, UserSuspicion> afterTime(Map<String, UserSuspicion> known, Instant now) {
        var changes = new LinkedHashMap<String, UserSuspicion>();
        known.forEach(
                (user, suspicion) -> {
                    if (isForgotten(suspicion, now)) {
                        changes.put(user, UserSuspicion.NONE);
                    }
                });
        return changes;
    }

    boolean isForgotten(UserSuspicion suspicion, Instant now) {
        return suspicion.isNone() || !now.isBefore(suspicion.last().plus(memory));
    }

    private UserSuspicion with(
            UserSuspicion before, List<Suspicion> suspicions, boolean convicted, Instant now) {
        var counting = isForgotten(before, now) ? UserSuspicion.NONE : before;
        var oldest = now.minus(memory);
        var deaths = new ArrayList<Death>();
        Stream.concat(
                        counting.deaths().stream().filter(death -> death.at().isAfter(oldest)),
                        suspicions.stream().flatMap(each -> each.deaths().stream()))
                .forEach(death -> add(death, deaths));
        deaths.sort(Comparator.comparing(Death::at));
        boolean graver = convicted || suspicions.stream().anyMatch(Suspicion::convicted);
        return new UserSuspicion(Suspicion.newest(deaths), counting.convicted() || graver);
    }

    private static void add(Death death, List<Death> deaths) {
        for (int i = 0; i < deaths.size(); i++) {
            if (deaths.get(i).isSameAs(death)) {
                deaths.set(i, deaths.get(i).worse(death));
                return;
            }
        }
        deaths.add(death);
    }

    private void forgetOldest(
            Map<String, UserSuspicion> known, Map<String, UserSuspicion> changes) {
        var after = new LinkedHashMap<>(known);
        after.putAll(changes);
        after.values().removeIf(UserSuspicion::isNone);
        after.entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getValue().last()))
                .limit(Math.max(0, after.size() - most))
                .forEach(entry -> changes.put(entry.getKey(), UserSuspicion.NONE));
    }
}
