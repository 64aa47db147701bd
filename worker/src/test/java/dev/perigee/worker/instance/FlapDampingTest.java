package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The pace of a flapping server's status changes")
final class FlapDampingTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long MINUTE = 60 * SECOND;

    /** Where a clock of nanoseconds overflows. */
    private static final long START = Long.MAX_VALUE - 30 * SECOND;

    @Test
    @DisplayName("lets two in five minutes pass, and each further one a minute after the last")
    void paces() {
        var damping = new FlapDamping(Duration.ofMinutes(1), START);
        assertThat(damping.waitNanos(START)).isNotPositive();
        damping.changed(START);
        assertThat(damping.waitNanos(START + SECOND)).isNotPositive();
        damping.changed(START + SECOND);
        assertThat(damping.waitNanos(START + 2 * SECOND)).isEqualTo(59 * SECOND);
        assertThat(damping.waitNanos(START + SECOND + MINUTE)).isNotPositive();
        damping.changed(START + SECOND + MINUTE);
        assertThat(damping.waitNanos(START + 2 * MINUTE)).isEqualTo(SECOND);
        assertThat(damping.waitNanos(START + 5 * MINUTE + SECOND)).isNotPositive();
    }

    @Test
    void pacesNothingWithoutAPause() {
        var damping = new FlapDamping(Duration.ZERO, START);
        for (int change = 0; change < 10; change++) {
            assertThat(damping.waitNanos(START)).isNotPositive();
            damping.changed(START);
        }
    }

    /** Three statuses for each recovery, one for the failure after it, one for another trouble. */
    @ParameterizedTest
    @DisplayName("CAL-16: costs at most six changes a minute once it flaps, whatever happens when")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void bounds(long seed) {
        var random = new Random(seed);
        var recoveries = new FlapDamping(Duration.ofMinutes(1), START);
        var troubles = new FlapDamping(Duration.ofMinutes(1), START);
        var changes = new ArrayDeque<Long>();
        boolean online = true;
        for (long after = 0; after < 60 * MINUTE; after += random.nextLong(5 * SECOND)) {
            long now = START + after;
            if (online) {
                online = false;
                changes.add(after);
            } else if (random.nextBoolean()) {
                online = recoveries.waitNanos(now) <= 0;
                for (int status = 0; online && status < 3; status++) {
                    changes.add(after);
                }
                if (online) {
                    recoveries.changed(now);
                }
            } else if (troubles.waitNanos(now) <= 0) {
                troubles.changed(now);
                changes.add(after);
            }
            while (after - changes.getFirst() >= MINUTE) {
                changes.removeFirst();
            }
            assertThat(changes.size())
                    .as("changes in the minute before %s with seed %d", after / SECOND, seed)
                    .isLessThanOrEqualTo(after < 2 * MINUTE ? 11 : 6);
        }
    }
}
