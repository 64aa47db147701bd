package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.testing.history.SteadyLoad;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A fleet that is rolled from the version before to this one and back, parts of both working
 * together in between: gateways of the one with workers of the other, both ways.
 */
@DisplayName("Parts of this version and of the one before")
@Tag("long")
@NeedsProgram(Program.GIT)
final class MixedVersionsTest {
    private static final Duration PACE = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int GATEWAYS = 2;
    private static final int WORKERS = 2;
    private static final int SERVERS = 8;

    @Test
    @DisplayName("DEP-08: are one fleet, rolled to this version and back under load: no call fails")
    void rolledAndBack(@TempDir Path folder) throws Exception {
        var earlier = EarlierVersion.classPath();
        try (var fleet =
                        FleetUnderTest.named("mixed-versions")
                                .gateways(GATEWAYS)
                                .workers(WORKERS)
                                .runs(earlier)
                                .start();
                var load = SteadyLoad.mixed(fleet, folder, SERVERS, PACE)) {
            int sent = load.sent();
            for (var version : new @Nullable String[] {null, earlier}) {
                fleet.runs(version);
                for (int worker = 1; worker <= WORKERS; worker++) {
                    restart(fleet, "worker-" + worker);
                }
                sent = wentOn(load, sent);
                for (int gateway = 1; gateway <= GATEWAYS; gateway++) {
                    restart(fleet, "gateway-" + gateway);
                }
                sent = wentOn(load, sent);
            }

            var history = load.history();
            System.out.printf(
                    "Rolled to this version and back: %s, slowest %d ms%n",
                    history.counts(), history.slowest().toMillis());
            assertThat(history.violations()).isEmpty();
            assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
        }
    }

    /** So that each mixture is called for a while. */
    private static int wentOn(SteadyLoad load, int before) {
        Awaitility.await().atMost(PATIENCE).until(() -> load.sent() > before + 50);
        return load.sent();
    }

    private static void restart(FleetUnderTest fleet, String name) {
        assertThat(fleet.part(name).terminate()).isIn(0, 143);
        fleet.startAgain(name);
        fleet.parts()
                .forEach(
                        (each, part) -> {
                            part.awaitReady();
                            Awaitility.await(each)
                                    .atMost(PATIENCE)
                                    .until(() -> PartHealth.of(part).isReady());
                        });
    }
}
