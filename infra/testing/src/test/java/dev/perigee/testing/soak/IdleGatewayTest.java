package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gateway with the heap that the image gives it in 1280 MiB, and a call every five seconds. What
 * fills slowly shows in ten minutes as a rise; {@code -Dperigee.test.idle-minutes=60} is the whole
 * hour.
 */
@DisplayName("A gateway that is nearly idle")
@Tag("long")
final class IdleGatewayTest {
    private static final Duration PACE = Duration.ofSeconds(5);
    private static final Duration IDLE =
            Duration.ofMinutes(Integer.getInteger("perigee.test.idle-minutes", 10));
    private static final int DOCUMENTED_MEBIBYTES = 1024;

    /** 56 of a hundred, as infra/images/gateway has it. */
    private static final int HEAP_MEBIBYTES = 716;

    @Test
    @DisplayName("DEP-10: stays below its documented memory")
    void staysSmall(@TempDir Path folder) throws IOException {
        try (var fleet =
                        FleetUnderTest.named("idle-gateway")
                                .heap("gateway", HEAP_MEBIBYTES)
                                .start();
                var load = SteadyLoad.on(fleet, folder, 1, PACE);
                var memory = Memory.watching(fleet::parts)) {
            int begun = load.sent();

            Awaitility.await()
                    .atMost(IDLE.plusMinutes(1))
                    .pollInterval(PACE)
                    .during(IDLE)
                    .until(
                            () ->
                                    memory.most().getOrDefault("gateway-1", 0L)
                                            < DOCUMENTED_MEBIBYTES);

            System.out.printf(
                    "A gateway nearly idle for %d min: at most %d MiB resident%n",
                    IDLE.toMinutes(), memory.most().get("gateway-1"));
            assertThat(memory.most()).containsKey("gateway-1");
            assertThat(load.sent()).as("it was called").isGreaterThan(begun);
            assertThat(load.history().counts().keySet()).isEqualTo(Set.of("success"));
        }
    }
}
