package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.placement.SafetyWindow;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A gateway that gives the link to a worker up, and has its partition served elsewhere")
final class GivenUpTimelineTest {
    private static final int SEEDS = 1_000;

    @Test
    @DisplayName(
            "OWN-13: never has two processes, though it counts from the end of the last connection")
    void neverBoth() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(new GivenUpTimeline(seed, window(10)).gapMs())
                    .as("gap of seed %d", seed)
                    .isNotNegative();
        }
    }

    @Test
    @DisplayName("OWN-13: would have them if it did not wait until the worker has noticed")
    void theWaitIsNeeded() {
        var both =
                LongStream.rangeClosed(1, SEEDS)
                        .filter(seed -> new GivenUpTimeline(seed, window(0)).gapMs() < 0)
                        .count();

        assertThat(both).isPositive();
    }

    private static SafetyWindow window(int detection) {
        return new SafetyWindow(
                Duration.ofSeconds(detection),
                LeaseTimeline.LEASE,
                LeaseTimeline.RETENTION,
                Duration.ofSeconds(5));
    }
}
