package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.placement.SafetyWindow;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
        "An owner that does not hear from the group, and a successor that cannot see its worker")
final class LeaseTimelineTest {
    private static final int SEEDS = 1_000;
    private static final SafetyWindow WINDOW =
            new SafetyWindow(
                    Duration.ofSeconds(10),
                    LeaseTimeline.LEASE,
                    LeaseTimeline.RETENTION,
                    Duration.ofSeconds(5));

    @Test
    @DisplayName(
            "OWN-01, OWN-03: never have processes at the same time, whatever is cut or frozen when")
    void neverBoth() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            var timeline = new LeaseTimeline(seed, WINDOW, true);
            assertThat(timeline.gapMs()).as("gap of seed %d", seed).isNotNegative();
        }
    }

    @Test
    @DisplayName("OWN-01: would have them if the lease were not waited out")
    void theWaitIsNeeded() {
        assertThat(LongStream.rangeClosed(1, SEEDS))
                .anyMatch(seed -> new LeaseTimeline(seed, WINDOW, false).gapMs() < 0);
    }
}
