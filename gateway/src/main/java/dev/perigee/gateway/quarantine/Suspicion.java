package dev.perigee.gateway.quarantine;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The deaths of workers that one installation ran on, as the state topic has them. Changed by
 * addition only.
 *
 * @param deaths the oldest first, {@link #MOST} at most
 * @param tried whether it ran alone since the last of them, and its worker lived
 * @param held whether its worker died when it ran alone: only a command of its user ends that
 * @param convicted whether it, or another of its user, was held before
 * @param ofUser whether it answers for deaths under other installations of its user as well
 * @param triedAt when that trial was passed, null where it was not or an older version noted it
 */
public record Suspicion(
        List<Death> deaths,
        boolean tried,
        boolean held,
        boolean convicted,
        boolean ofUser,
        @Nullable Instant triedAt) {
    /** Nothing is suspected. */
    public static final Suspicion NONE = new Suspicion(List.of(), false, false, false, false, null);

    /** So many deaths are kept, the newest. */
    static final int MOST = 8;

    @SuppressWarnings("NullAway") // Jackson passes null for what is absent.
    public Suspicion {
        deaths = deaths == null ? List.of() : List.copyOf(deaths);
    }

    /** Whether there is nothing to be remembered. */
    public boolean isNone() {
        return deaths.isEmpty();
    }

    /** One more death; those before {@code oldest} are dropped. */
    Suspicion with(Death death, Instant oldest) {
        var all =
                Stream.concat(
                                deaths.stream().filter(other -> other.at().isAfter(oldest)),
                                Stream.of(death))
                        .toList();
        return new Suspicion(newest(all), false, held, convicted, ofUser, null);
    }

    /** It answers for what its user's other installations answer for. */
    Suspicion with(UserSuspicion user) {
        Predicate<Death> isOfUser = own -> user.deaths().stream().anyMatch(own::isSameAs);
        boolean more =
                user.deaths().stream().anyMatch(one -> deaths.stream().noneMatch(one::isSameAs));
        var all =
                Stream.concat(deaths.stream().filter(isOfUser.negate()), user.deaths().stream())
                        .sorted(Comparator.comparing(Death::at))
                        .toList();
        return new Suspicion(
                newest(all), false, held, convicted || user.convicted(), ofUser || more, null);
    }

    static List<Death> newest(List<Death> deaths) {
        return deaths.subList(Math.max(0, deaths.size() - MOST), deaths.size());
    }

    /** Without the death of a worker that lives; what it was held for is void with it. */
    Suspicion without(String workerId, String incarnation) {
        var left = deaths.stream().filter(death -> !death.isOf(workerId, incarnation)).toList();
        boolean sameLast = !left.isEmpty() && left.getLast().equals(deaths.getLast());
        return new Suspicion(left, tried, held && sameLast, convicted && sameLast, ofUser, triedAt);
    }

    Suspicion withHeld() {
        return new Suspicion(deaths, false, true, convicted, ofUser, null);
    }

    /** A command of its user lets it be tried once more. */
    Suspicion released() {
        return new Suspicion(deaths, false, false, true, ofUser, null);
    }

    Suspicion untried() {
        return new Suspicion(deaths, false, held, convicted, ofUser, null);
    }

    Suspicion passed(Instant now) {
        return new Suspicion(deaths, true, held, convicted, ofUser, now);
    }

    /** Whether it ran alone, and well, after that moment. */
    boolean passedAfter(Instant moment) {
        return tried && triedAt != null && triedAt.isAfter(moment);
    }

    /** Whether it must wait before it is tried: a trial would hardly show what is not known. */
    boolean isGrave() {
        return convicted || Death.arePrompt(deaths);
    }

    Instant last() {
        return deaths.getLast().at();
    }

    /** Since when nothing is known against it. */
    Instant goodSince() {
        return triedAt != null && triedAt.isAfter(last()) ? triedAt : last();
    }
}
