package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimersTest {
    private Instant now = Instant.ofEpochMilli(1_000_000);
    private final Timers timers = new Timers(() -> now);
    private final List<String> ran = new ArrayList<>();

    @Test
    void runsWhatIsDueInOrder() {
        timers.after(Duration.ofMillis(300), () -> ran.add("later"));
        timers.after(Duration.ofMillis(100), () -> ran.add("soon"));
        var cancelled = timers.after(Duration.ofMillis(100), () -> ran.add("never"));
        cancelled.cancel();
        cancelled.cancel();

        timers.run();
        assertThat(ran).isEmpty();
        assertThat(timers.untilNext(Duration.ofSeconds(9)))
                .isBetween(Duration.ofMillis(100), Duration.ofMillis(120));
        now = now.plusMillis(500);
        assertThat(timers.untilNext(Duration.ofSeconds(9))).isZero();
        timers.run();
        assertThat(ran).containsExactly("soon", "later");
        assertThat(timers.untilNext(Duration.ofSeconds(9))).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void neverRunsAnythingEarly() {
        timers.after(Duration.ofMillis(10), () -> ran.add("x"));
        now = now.plusMillis(9);
        timers.run();

        assertThat(ran).isEmpty();
    }
}
