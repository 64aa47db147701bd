package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class DiscoveryPaceTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long MINUTE = 60 * SECOND;

    private long now = Long.MAX_VALUE - 3 * SECOND; // System.nanoTime may overflow.
    private final DiscoveryPace pace = new DiscoveryPace(now);

    @Test
    @DisplayName("one change is discovered at once, a dozen in a row within seconds")
    void isQuickAtFirst() {
        long start = now;
        var times = new ArrayList<Long>();
        for (int i = 0; i < 5; i++) {
            times.add(Duration.ofNanos(discover() - start).toMillis());
        }

        assertThat(times.getFirst()).isZero();
        assertThat(times.get(1)).isEqualTo(250);
        assertThat(times.getLast()).isBetween(3_000L, 3_750L);
    }

    @Test
    @DisplayName("a server that always changes is asked six times a minute in the long run")
    void isSlowInTheLongRun() {
        for (int i = 0; i < 50; i++) {
            discover();
        }

        assertThat(in(MINUTE, 0)).isBetween(5, 7);
    }

    @Test
    @DisplayName("large catalogues cost 1 MiB a minute at most, but for the first")
    void boundsBytes() {
        assertThat(in(10 * MINUTE, 1 << 20)).isBetween(9, 11);
    }

    @Test
    @DisplayName("after a quiet while it is as quick as at first")
    void forgets() {
        for (int i = 0; i < 50; i++) {
            discover();
        }
        now += 2 * MINUTE;

        long start = now;
        discover();
        assertThat(discover() - start).isEqualTo(SECOND / 4);
    }

    @Test
    @DisplayName("however changes come, no minute has more than a dozen and a half of discoveries")
    void boundsAny() {
        for (long seed = 1; seed <= 100; seed++) {
            var random = new Random(seed);
            var times = new ArrayList<Long>();
            for (int i = 0; i < 300; i++) {
                if (random.nextInt(20) == 0) {
                    now += random.nextLong(2 * MINUTE);
                } else {
                    now += random.nextLong(3 * SECOND);
                }
                times.add(discover());
            }
            assertThat(busiestMinute(times)).as("seed %d", seed).isLessThanOrEqualTo(18);
        }
    }

    @Test
    @DisplayName("a refused discovery is tried again ever later, not before the server allows it")
    void triesRefusedOnesAgain() {
        for (int seconds = 2; seconds <= 128; seconds *= 2) {
            assertThat(pace.refused(Duration.ZERO, now)).isTrue();
            assertThat(pace.dueNanos() - now).isEqualTo(seconds * SECOND);
            now = pace.dueNanos();
        }
        assertThat(pace.refused(Duration.ZERO, now)).isFalse();
        now = pace.dueNanos();

        pace.listed();

        assertThat(pace.refused(Duration.ofHours(1), now)).isTrue();
        assertThat(pace.dueNanos() - now).isEqualTo(60 * MINUTE);
    }

    private static int busiestMinute(List<Long> times) {
        int most = 0;
        for (int from = 0, to = 0; to < times.size(); to++) {
            while (times.get(to) - times.get(from) >= MINUTE) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    /** As soon as it may be; the time. */
    private long discover() {
        if (pace.dueNanos() - now > 0) {
            now = pace.dueNanos();
        }
        pace.began(now);
        return now;
    }

    private int in(long time, long bytes) {
        long end = now + time;
        int count = 0;
        while (now - end < 0) {
            discover();
            pace.published(bytes, now);
            count++;
        }
        return count;
    }
}
