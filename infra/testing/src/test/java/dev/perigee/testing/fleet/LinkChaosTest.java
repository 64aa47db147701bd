package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.FaultProxy;
import dev.perigee.testing.history.SteadyLoad;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random faults of real links under load, from a seed: {@code -Dchaos.seed=} takes another, {@code
 * -Dchaos.runs=} so many more.
 */
@DisplayName("Links that fail again and again")
final class LinkChaosTest {
    private static final int FAULTS = 200;
    private static final long SEED = 20261121;

    private static LongStream seeds() {
        long first = Long.getLong("chaos.seed", SEED);
        return LongStream.range(first, first + Integer.getInteger("chaos.runs", 1));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("RES-24: lose nothing, double nothing, in two hundred faults")
    void chaos(long seed, @TempDir Path folder) throws Exception {
        var random = new SplittableRandom(seed);
        try (var fleet =
                        FleetUnderTest.named("link-chaos")
                                .faultyLinks()
                                .gateways(2)
                                .workers(2)
                                .gateway("link.ping-interval", "200ms")
                                .gateway("link.dead-after", "600ms")
                                .worker("link.ping-interval", "200ms")
                                .worker("link.dead-after", "600ms")
                                .start();
                var load = SteadyLoad.on(fleet, folder, 6, Duration.ofMillis(10))) {
            var pids = load.pids();
            for (int fault = 0; fault < FAULTS; fault++) {
                int before = load.sent();
                inflict(fleet.link(1 + random.nextInt(2)), random);
                int calls = random.nextInt(1, 25);
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> load.sent() >= before + calls);
            }
            fleet.link(1).heal();
            fleet.link(2).heal();

            assertThat(load.pids()).as("seed %d", seed).isEqualTo(pids);
            var history = load.history();
            System.out.printf(
                    "Seed %d: %d faults, %d connections, %d calls %s, slowest %d ms%n",
                    seed,
                    FAULTS,
                    fleet.link(1).connections() + fleet.link(2).connections(),
                    load.sent(),
                    history.counts(),
                    history.slowest().toMillis());
            assertThat(history.violations()).as("seed %d", seed).isEmpty();
            assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
        }
    }

    private static void inflict(FaultProxy link, SplittableRandom random)
            throws InterruptedException {
        switch (random.nextInt(8)) {
            case 0, 1 -> link.cut();
            case 2, 3 -> link.reset();
            case 4 -> link.partitionFor(Duration.ofMillis(random.nextInt(1, 800)));
            case 5 -> link.drop();
            case 6 -> {
                link.delay(Duration.ofMillis(random.nextInt(1, 30)));
                link.cut();
            }
            case 7 -> {
                link.drip(random.nextInt(200, 5_000));
                link.cut();
            }
            default -> throw new IllegalStateException();
        }
        if (random.nextInt(3) == 0) {
            link.heal();
        }
    }
}
