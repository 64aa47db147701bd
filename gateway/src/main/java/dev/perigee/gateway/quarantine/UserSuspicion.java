package dev.perigee.gateway.quarantine;

import java.time.Instant;
import java.util.List;

/**
 * The deaths of workers that any installation of one user of a team ran on, as the state topic has
 * them: what the user installs or changes later answers for them as well. Changed by addition only.
 *
 * @param deaths the oldest first, {@link Suspicion#MOST} at most, each as of the installation
 *     against which it says most
 * @param convicted whether one of the installations was held
 */
public record UserSuspicion(List<Death> deaths, boolean convicted) {
    /** Nothing is suspected. */
    public static final UserSuspicion NONE = new UserSuspicion(List.of(), false);

    @SuppressWarnings("NullAway") // Jackson passes null for what is absent.
    public UserSuspicion {
        deaths = deaths == null ? List.of() : List.copyOf(deaths);
    }

    /** Whether there is nothing to be remembered. */
    public boolean isNone() {
        return deaths.isEmpty();
    }

    boolean isGrave() {
        return convicted || Death.arePrompt(deaths);
    }

    /** Without the death of a worker that lives. */
    UserSuspicion without(String workerId, String incarnation) {
        var left = deaths.stream().filter(death -> !death.isOf(workerId, incarnation)).toList();
        boolean sameLast = !left.isEmpty() && left.getLast().equals(deaths.getLast());
        return left.isEmpty() ? NONE : new UserSuspicion(left, convicted && sameLast);
    }

    Instant last() {
        return deaths.getLast().at();
    }
}
