package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gateway and a worker in processes of their own, and a network between them that fails. */
@DisplayName("When the link is cut")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LinkCutTest {
    private static final Duration PACE = Duration.ofMillis(50);
    private static final int SERVERS = 3;

    private FleetUnderTest fleet;
    private Backend backend;

    @BeforeAll
    void start() throws IOException {
        fleet = FleetUnderTest.named("link-cut").faultyLinks().start();
        backend = fleet.backend();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    @DisplayName("RES-01, RES-03: every call is answered once, runs once, on the same process")
    void losesNothing(int seconds, @TempDir Path folder) throws Exception {
        cut(seconds, folder);
    }

    @Test
    @Tag("long")
    @DisplayName("RES-01, RES-03: the same for a time between these")
    void losesNothingInBetween(@TempDir Path folder) throws Exception {
        cut(10, folder);
    }

    private void cut(int seconds, Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, SERVERS, PACE)) {
            var pids = load.pids();
            var slow = backend.request(load.servers().getFirst(), "sleep", "{\"ms\":500}");

            fleet.link(1).partitionFor(Duration.ofSeconds(seconds));

            long back = System.currentTimeMillis();
            assertThat(load.pids()).isEqualTo(pids);
            long caughtUp = System.currentTimeMillis();
            assertThat(backend.answer(slow).text("outcome")).isEqualTo("success");
            var history = load.history();
            assertThat(history.violations()).isEmpty();
            assertThat(history.counts()).isEqualTo(Map.of("success", (long) load.sent()));
            System.out.printf(
                    "A cut of %d s: first answer %d ms after it, those to new calls %d ms after it%n",
                    seconds, history.firstAnswerAfter(back) - back, caughtUp - back);
        }
    }

    @Test
    @DisplayName("RES-02, RES-23: a program goes on and what it wrote comes whole, in order")
    void bringsTheOutputLater() throws Exception {
        var program = Counting.on(fleet);
        program.awaitLines(20);

        fleet.link(1).partitionFor(Duration.ofSeconds(3));

        program.awaitMore(80);
        program.isWhole();
        backend.uninstall(program.installation());
    }

    @Test
    @DisplayName("RES-10: and nobody is told, that is found out and the same holds")
    void findsAHalfOpenLink(@TempDir Path folder) {
        try (var load = SteadyLoad.on(fleet, folder, SERVERS, PACE)) {
            var pids = load.pids();

            fleet.link(1).drop();

            assertThat(load.pids()).isEqualTo(pids);
            var history = load.history();
            assertThat(history.violations()).isEmpty();
            assertThat(history.counts().keySet()).isEqualTo(Set.of("success"));
            assertThat(history.slowest()).isLessThan(Duration.ofSeconds(20));
        }
    }

    @Test
    @DisplayName("RES-13: a server that floods meanwhile is slowed down, no event is lost")
    void slowsAFlood(@TempDir Path folder) throws Exception {
        try (var load = SteadyLoad.on(fleet, folder, SERVERS, PACE)) {
            var flooding = load.servers().getFirst();
            var flood =
                    backend.request(
                            flooding, "stderr", "{\"n\":200000,\"text\":\"a line of a flood\"}");

            fleet.link(1).partitionFor(Duration.ofSeconds(4));

            assertThat(backend.answer(flood).text("outcome")).isEqualTo("success");
            assertThat(load.history().violations()).isEmpty();
        }
    }
}
