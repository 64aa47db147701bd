package dev.perigee.testing.fleet;

import static dev.perigee.testing.FaultTime.pass;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The only gateway is killed, and the next one starts when its calls' deadlines have passed. */
@DisplayName("A takeover after the deadline of a call, with default settings,")
@Tag("long")
final class LateTakeoverTest {
    private static final int DEADLINE_MS = 4_000;

    /** Beyond the deadline and its margin, within the worker's retention. */
    private static final Duration ALONE = Duration.ofSeconds(15);

    @Test
    @DisplayName("OWN-06: answers with the result that the worker has in its journal")
    void late(@TempDir Path folder) throws Exception {
        try (var fleet = FleetUnderTest.named("late-takeover").start()) {
            var backend = fleet.backend();
            var server = Installation.fixture();
            backend.install(server);
            var pid = backend.text(server, "pid", "{}");
            var begun = folder.resolve("begun");
            var go = folder.resolve("go");
            var request =
                    backend.request(
                            server,
                            "counter",
                            "{\"file\":\"%s\",\"until\":\"%s\"}".formatted(begun, go),
                            call -> call.put("timeout_ms", DEADLINE_MS));
            await().until(() -> Files.exists(begun));
            fleet.part("gateway-1").kill();
            Files.createFile(go);
            pass(ALONE);

            fleet.startGateway(1).awaitReady();

            assertThat(backend.answer(request).text("outcome")).isEqualTo("success");
            assertThat(backend.text(server, "pid", "{}")).isEqualTo(pid);
            assertThat(
                            fleet.records().on(Topic.TOOL_RESULTS).stream()
                                    .filter(result -> result.text("request_id").equals(request)))
                    .hasSize(1);
        }
    }
}
