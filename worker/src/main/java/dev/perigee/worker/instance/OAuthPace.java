package dev.perigee.worker.instance;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Pace at which an instance's authorization server is asked, and its user told: what servers say of
 * times and refusals must not hasten it. Confined to the supervisor's thread.
 */
final class OAuthPace {
    /** Shortest time from a refresh to the next. */
    private static final Duration REST = Duration.ofSeconds(30);

    /** Shortest time between two events about missing scopes. */
    private static final Duration STEP_UPS = Duration.ofSeconds(10);

    /** When a user who does not answer is asked again: the event may have reached nobody. */
    private static final Duration REMINDER = Duration.ofHours(1);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** A minute or so without an answer. */
    private static final int MANY = 7;

    private int unanswered;
    private Instant askAgainAt = Instant.MIN;
    private Instant restsUntil = Instant.MIN;
    private boolean wasRefused;
    private Instant stepsUpAt = Instant.MIN;
    private Instant remindsAt = Instant.MIN;

    /**
     * A configuration came.
     *
     * @param same whether its tokens are the same
     */
    void configured(boolean same) {
        answered();
        stepsUpAt = Instant.MIN;
        if (!same) {
            restsUntil = Instant.MIN;
        }
    }

    /** There was no answer; true when there has been none for long. */
    boolean unanswered(Instant now) {
        unanswered = Math.min(unanswered + 1, MANY);
        var most = Duration.ofSeconds(1L << (unanswered - 1));
        var pause = most.compareTo(LONGEST_PAUSE) < 0 ? most : LONGEST_PAUSE;
        askAgainAt =
                now.plus(pause.dividedBy(2))
                        .plusNanos(ThreadLocalRandom.current().nextLong(pause.toNanos() / 2 + 1));
        return unanswered == MANY;
    }

    /** There was an answer. */
    void answered() {
        unanswered = 0;
        askAgainAt = Instant.MIN;
    }

    /** Whether nothing is asked yet, since there was no answer. */
    boolean waits(Instant now) {
        return now.isBefore(askAgainAt);
    }

    /** This time, or when it is asked again. */
    Instant asks(Instant at) {
        return later(at, askAgainAt);
    }

    /**
     * There are new tokens for a refresh token.
     *
     * @param refused whether a server refused the ones before
     */
    void refreshed(Instant now, boolean refused) {
        restsUntil = now.plus(REST);
        wasRefused = refused;
    }

    /** Whether a refusal of the newest token is the second one in a row. */
    boolean wasRefused() {
        return wasRefused;
    }

    /** Whether it is too soon for a refresh. */
    boolean rests(Instant now) {
        return now.isBefore(restsUntil);
    }

    /** This time, or when there may be a refresh. */
    Instant refreshes(Instant at) {
        return later(at, restsUntil);
    }

    /** Whether it may be told that scopes are missing, which then it is not for a while. */
    boolean stepsUp(Instant now) {
        boolean may = !now.isBefore(stepsUpAt);
        if (may) {
            stepsUpAt = now.plus(STEP_UPS);
        }
        return may;
    }

    /** The user was asked, or is about to be. */
    void asked(Instant now) {
        remindsAt = now.plus(REMINDER);
    }

    /** When the user is asked again. */
    Instant remindsAt() {
        return remindsAt;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
