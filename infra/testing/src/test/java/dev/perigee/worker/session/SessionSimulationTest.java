package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.session.SimulatedFleet.Mend;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sessions of both sides and the group's lease, without a broker or a thread of their own: 1,000
 * simulated hours, unless {@code -Dperigee.simulation.seeds} says otherwise. {@code
 * -Dperigee.simulation.first} is the first seed: with that of a failure and one seed it is
 * replayed.
 */
@DisplayName(
        "Whatever set of gateways, workers and brokers is cut off, frozen, killed or overtaken")
final class SessionSimulationTest {
    private static final Duration HOURS = Duration.ofHours(1_000);

    /** What the hours may take at most. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final long SEEDS =
            Long.getLong("perigee.simulation.seeds", HOURS.dividedBy(SimulatedFleet.LENGTH) + 1);
    private static final long FIRST = Long.getLong("perigee.simulation.first", 1);

    @Test
    @DisplayName(
            "OWN-22, OWN-01, OWN-03: one process at most, nothing acknowledged lost, no session"
                    + " lingers, and after all is healed one owner serves")
    void holds() {
        var sessions = new LongAdder();
        var violations = new ConcurrentSkipListMap<Long, List<String>>();
        long begin = System.nanoTime();
        LongStream.range(FIRST, FIRST + SEEDS)
                .parallel()
                .forEach(
                        seed -> {
                            var fleet = new SimulatedFleet(seed, Set.of());
                            var found = fleet.run();
                            if (!found.isEmpty()) {
                                violations.put(seed, found);
                            }
                            sessions.add(fleet.takeovers());
                        });
        var took = Duration.ofNanos(System.nanoTime() - begin);
        assertThat(violations).as("what does not hold, by seed").isEmpty();
        assertThat(sessions.sum()).as("sessions that were created").isGreaterThan(SEEDS);
        if (SimulatedFleet.LENGTH.multipliedBy(SEEDS).compareTo(HOURS.multipliedBy(2)) < 0) {
            assertThat(took).as("time for %d seeds", SEEDS).isLessThan(LIMIT);
        }
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @CsvSource({
        "RETENTION_FROM_LEASE, 10",
        "WAIT_FOR_OTHERS, 12",
        "HOST_WRITTEN_TO_THE_END, 1243",
        "RETENTION_FROM_PINGS, 10"
    })
    @DisplayName(
            "OWN-22, OWN-01: would not, if one of these were missing; its seed finds it each time")
    void isNeeded(Mend mend, long seed) {
        var found = new SimulatedFleet(seed, Set.of(mend)).run();
        assertThat(found).isNotEmpty();
        assertThat(new SimulatedFleet(seed, Set.of(mend)).run()).isEqualTo(found);
        assertThat(new SimulatedFleet(seed, Set.of()).run()).isEmpty();
    }
}
