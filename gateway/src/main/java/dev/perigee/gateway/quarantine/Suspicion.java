package dev.perigee.gateway.quarantine;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * The deaths of workers that one installation ran on, as the state topic has them. Changed by
 * addition only.
 *
 * @param deaths the oldest first, {@link #MOST} at most
 * @param tried whether it ran alone since the last of them, and its worker lived
 * @param held whether its worker died when it ran alone: only a command of its user ends that
 */
public record Suspicion(List<Death> deaths, boolean tried, boolean held) {
    /** Nothing is suspected. */
    public static final Suspicion NONE = new Suspicion(List.of(), false, false);

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

    /** One more death; those before {@code oldest} count no more. */
    Suspicion with(Death death, Instant oldest) {
        var all =
                Stream.concat(
                                deaths.stream().filter(other -> other.at().isAfter(oldest)),
                                Stream.of(death))
                        .toList();
        return new Suspicion(all.subList(Math.max(0, all.size() - MOST), all.size()), false, held);
    }

    /** Without the death of a worker that lives; what it was held for is void with it. */
    Suspicion without(String workerId, String incarnation) {
        var left = deaths.stream().filter(death -> !death.isOf(workerId, incarnation)).toList();
        boolean sameLast = !left.isEmpty() && left.getLast().equals(deaths.getLast());
        return new Suspicion(left, tried, held && sameLast);
    }

    Suspicion withHeld() {
        return new Suspicion(deaths, false, true);
    }

    Suspicion withTried(boolean nowTried) {
        return new Suspicion(deaths, nowTried, held);
    }

    Instant last() {
        return deaths.getLast().at();
    }
}
