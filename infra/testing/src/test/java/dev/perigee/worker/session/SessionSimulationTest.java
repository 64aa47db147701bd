package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.session.SimulatedFleet.Mend;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sessions of both sides and the group's lease, without a broker or a thread. */
@DisplayName(
        "Whatever set of gateways, workers and brokers is cut off, frozen, killed or overtaken")
final class SessionSimulationTest {
    private static final int SEEDS = Integer.getInteger("perigee.simulation.seeds", 400);

    @Test
    @DisplayName(
            "OWN-22, OWN-01, OWN-03: one process at most, nothing acknowledged lost, no session"
                    + " lingers, and after all is healed one owner serves")
    void holds() {
        long sessions = 0;
        var violations = new TreeMap<Long, List<String>>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            var fleet = new SimulatedFleet(seed, Set.of());
            var found = fleet.run();
            if (!found.isEmpty()) {
                violations.put(seed, found);
            }
            sessions += fleet.takeovers();
        }
        assertThat(violations).as("what does not hold, by seed").isEmpty();
        assertThat(sessions).as("sessions that were created").isGreaterThan(SEEDS);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @CsvSource({
        "RETENTION_FROM_LEASE, 10",
        "WAIT_FOR_OTHERS, 12",
        "HOST_WRITTEN_TO_THE_END, 1243",
        "RETENTION_FROM_PINGS, 10"
    })
    @DisplayName("OWN-22, OWN-01: would not, if one of these were missing")
    void isNeeded(Mend mend, long seed) {
        assertThat(new SimulatedFleet(seed, Set.of(mend)).run()).isNotEmpty();
        assertThat(new SimulatedFleet(seed, Set.of()).run()).isEmpty();
    }
}
