package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Part;
import dev.perigee.testing.history.History;
import dev.perigee.testing.history.Load;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything at once, from a seed: {@code -Dsoak.seed=} takes another, {@code -Dsoak.duration=}
 * (such as {@code PT5M}) another length. Times are scaled down, so that what takes a retention or a
 * session timeout happens within the run.
 */
@DisplayName("A soak")
final class SoakTest {
    private static final long SEED = 20261121;
    private static final Duration RETENTION = Duration.ofSeconds(8);
    private static final long MOST_MEBIBYTES = 640;

    @Test
    @DisplayName("FLT-01, FLT-06, FLT-08: in short: nothing lost, doubled, disordered, left behind")
    void brief(@TempDir Path folder) throws Exception {
        soak("soak", folder, new Schedule.Shape(2, 2, 16, RETENTION), Duration.ofSeconds(35), 40);
    }

    @Test
    @Tag("long")
    @DisplayName("FLT-01, FLT-06, FLT-08: ten minutes, 60 users, 2 gateways, 3 workers")
    void tenMinutes(@TempDir Path folder) throws Exception {
        soak(
                "soak-long",
                folder,
                new Schedule.Shape(2, 3, 60, RETENTION),
                Duration.ofMinutes(10),
                20);
    }

    private static void soak(
            String name, Path folder, Schedule.Shape shape, Duration length, int paceMs)
            throws IOException, InterruptedException, ExecutionException {
        long seed = Long.getLong("soak.seed", SEED);
        var duration = Duration.parse(System.getProperty("soak.duration", length.toString()));
        var again = "-Dtest=SoakTest -Dsoak.seed=%d -Dsoak.duration=%s".formatted(seed, duration);
        var steps = Schedule.of(seed, duration, shape);
        System.out.printf("Repeat it with %s%n", again);
        try (var fleet = fleet(name, shape);
                var load = Load.mixed(fleet, folder, shape.users(), Duration.ofMillis(paceMs));
                var memory = Memory.watching(fleet::parts)) {
            List<String> done;
            try (var soak = new Soak(fleet, load, shape)) {
                done = soak.run(steps);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("%s: %s%nplanned: %s".formatted(again, e, steps), e);
            }
            var answering = load.pidsAtLast();
            var history = load.history();
            print(done, history, load, memory.most());

            assertThat(history.violations()).as(again + "\n" + done).isEmpty();
            assertThat(answering).as(again).doesNotHaveDuplicates();
            assertThat(memory.most().values()).as(again).allMatch(mib -> mib < MOST_MEBIBYTES);
            assertThat(fleet.parts().values())
                    .as(again)
                    .noneMatch(part -> part.output().contains("OutOfMemoryError"));
            endsWithoutOrphans(fleet, again);
        }
    }

    private static FleetUnderTest fleet(String name, Schedule.Shape shape) throws IOException {
        return FleetUnderTest.named(name)
                .brokers(1)
                .faultyLinks()
                .gateways(shape.gateways())
                .workers(shape.workers())
                .spareWorkers(1)
                .gateway("group.session-timeout", "4s")
                // Workers die by the dozen, and no server did it.
                .gateway("quarantine.deaths", "0")
                .gateway("group.heartbeat-interval", "500ms")
                .gateway("link.retention-surplus", "0s")
                .gateway("link.recovery-margin", "2s")
                .gateway("placement.settle", "1s")
                .gateway("placement.move-interval", "100ms")
                .gateway("placement.move-live-interval", "1s")
                .gateway("link.ping-interval", "500ms")
                .gateway("link.dead-after", "2s")
                .worker("link.ping-interval", "500ms")
                .worker("link.dead-after", "2s")
                .worker("link.retention", RETENTION.toSeconds() + "s")
                .start();
    }

    private static void print(
            List<String> done, History history, Load load, Map<String, Long> memory) {
        done.forEach(System.out::println);
        System.out.printf(
                "%d faults, %d calls %s, slowest %d ms; most memory in MiB %s%n",
                done.size(), load.sent(), history.counts(), history.slowest().toMillis(), memory);
    }

    private static void endsWithoutOrphans(FleetUnderTest fleet, String again) {
        fleet.parts()
                .forEach(
                        (name, part) -> {
                            if (name.startsWith("gateway") || name.startsWith("worker")) {
                                assertThat(ended(part)).as("%s of %s", name, again).isIn(0, 143);
                            }
                        });
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(fleet.processesOfServers()).as(again).isEmpty());
    }

    private static int ended(Part part) {
        return part.alive() ? part.terminate() : part.awaitExit();
    }
}
