package dev.perigee.local.replay;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Pacing of a replay: a record's turn comes at its time, and when the target has answered enough of
 * what was sent before. Commands from before a recorded span go first, without their distances, and
 * are answered before the span begins. At a speed that is a number nothing else is waited for, as
 * in the source; as fast as it goes, each user has a limited number of unanswered requests. For one
 * thread.
 */
final class ReplayPacing implements AutoCloseable {
    private static final Duration SLICE = Duration.ofMillis(500);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final int SENT_BETWEEN_POLLS = 50;

    private final Pace pace;
    private final boolean isMax;
    private final @Nullable Instant begin;
    private final @Nullable Unanswered unanswered;
    private boolean hasBegun;
    private int sent;

    /** What is done before and while a record waits. */
    interface Meanwhile {
        /** Makes what was sent visible. */
        void commit();

        void tell();
    }

    /**
     * @param begin of a recorded span, null when all records keep their distance
     * @param unanswered null where no answer is waited for
     */
    ReplayPacing(Speed speed, @Nullable Instant begin, @Nullable Unanswered unanswered) {
        this.pace = new Pace(speed);
        this.isMax = speed.factor() == null;
        this.begin = begin;
        this.unanswered = unanswered;
    }

    /** Returns when it is a record's turn. */
    void await(Verdict.Selected selected, Instant appendedAt, Meanwhile meanwhile)
            throws InterruptedException {
        if (isBefore(appendedAt)) {
            awaitRoom(selected, meanwhile);
            return;
        }
        if (!hasBegun) {
            hasBegun = true;
            while (unanswered != null && !unanswered.isEmpty()) {
                answers(meanwhile);
            }
        }
        if (isMax) {
            awaitRoom(selected, meanwhile);
        }
        awaitDue(appendedAt, meanwhile);
    }

    private void awaitRoom(Verdict.Selected selected, Meanwhile meanwhile) {
        if (unanswered == null) {
            return;
        }
        if (sent >= SENT_BETWEEN_POLLS) {
            sent = 0;
            unanswered.poll(Duration.ZERO);
        }
        while (!unanswered.hasRoom(selected.topic(), selected.key())) {
            answers(meanwhile);
        }
    }

    private void answers(Meanwhile meanwhile) {
        meanwhile.commit();
        meanwhile.tell();
        if (unanswered != null) {
            unanswered.poll(POLL);
        }
    }

    private void awaitDue(Instant appendedAt, Meanwhile meanwhile) throws InterruptedException {
        var wait = pace.untilDue(appendedAt, System.nanoTime());
        if (!wait.isZero()) {
            meanwhile.commit();
        }
        while (!wait.isZero()) {
            Thread.sleep(wait.compareTo(SLICE) < 0 ? wait : SLICE);
            meanwhile.tell();
            wait = pace.untilDue(appendedAt, System.nanoTime());
        }
    }

    /** A copy was sent. */
    void sent(Verdict.Selected selected, String copyId, Instant appendedAt) {
        boolean isAnswered = !selected.what().equals("cancel");
        if (unanswered != null && isAnswered && (isMax || isBefore(appendedAt))) {
            unanswered.sent(selected.topic(), selected.key(), copyId);
            sent++;
        }
    }

    private boolean isBefore(Instant appendedAt) {
        return begin != null && appendedAt.isBefore(begin);
    }

    @Override
    public void close() {
        if (unanswered != null) {
            unanswered.close();
        }
    }
}
