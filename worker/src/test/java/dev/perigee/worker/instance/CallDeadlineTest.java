package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-02: the deadline of a call whose server reports progress")
final class CallDeadlineTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** As near to the overflow as {@link System#nanoTime()} may be. */
    private static final long START = Long.MAX_VALUE - 5 * SECOND;

    private static CallDeadline deadline(@Nullable Long eachSeconds) {
        return new CallDeadline(
                START,
                Duration.ofSeconds(10),
                eachSeconds == null ? null : Duration.ofSeconds(eachSeconds),
                Duration.ofSeconds(30));
    }

    private static long left(CallDeadline deadline, long atSecond) {
        return deadline.left(START + atSecond * SECOND, null).toSeconds();
    }

    @Test
    @DisplayName("CAL-04: while a question is open no time passes, for whichever limit")
    void standsStill() {
        var deadline = deadline(5L);
        deadline.stop(START + 2 * SECOND);
        deadline.stop(START + 3 * SECOND);
        assertThat(left(deadline, 100)).isEqualTo(8);
        deadline.goOn(START + 100 * SECOND);

        assertThat(left(deadline, 101)).isEqualTo(7);
        assertThat(deadline.left(START + 101 * SECOND, Duration.ofSeconds(4)).toSeconds())
                .isEqualTo(1);
        deadline.progressed(START + 105 * SECOND);
        assertThat(left(deadline, 105)).isEqualTo(5);
        deadline.stop(START + 106 * SECOND);
        deadline.goOn(START + 107 * SECOND);
        assertThat(left(deadline, 107)).isEqualTo(4);
        assertThat(deadline.stopped(START + 107 * SECOND)).isEqualTo(99 * SECOND);
        for (int second = 107; second < 140; second++) {
            deadline.progressed(START + second * SECOND);
        }
        assertThat(left(deadline, 128)).isEqualTo(1);
    }

    @Test
    void staysWithoutExtension() {
        var deadline = deadline(null);
        deadline.progressed(START + 9 * SECOND);

        assertThat(left(deadline, 9)).isEqualTo(1);
    }

    @Test
    void movesToATimeFromEachProgressAndNeverBack() {
        var deadline = deadline(5L);
        deadline.progressed(START + SECOND);
        assertThat(left(deadline, 1)).isEqualTo(9);
        deadline.progressed(START + 8 * SECOND);
        assertThat(left(deadline, 8)).isEqualTo(5);
        deadline.progressed(START + 7 * SECOND);
        assertThat(left(deadline, 8)).isEqualTo(5);
    }

    @Test
    void endsAtTheLastOne() {
        var deadline = deadline(5L);
        for (int second = 0; second < 40; second++) {
            deadline.progressed(START + second * SECOND);
        }

        assertThat(left(deadline, 29)).isEqualTo(1);
        assertThat(left(deadline, 31)).isEqualTo(-1);
    }

    @Test
    void aServersOwnLimitCountsUntilThereIsProgress() {
        var deadline = deadline(5L);
        var own = Duration.ofSeconds(3);
        assertThat(deadline.left(START + SECOND, own)).hasSeconds(2);

        deadline.progressed(START + SECOND);

        assertThat(deadline.left(START + SECOND, own)).hasSeconds(5);
    }
}
