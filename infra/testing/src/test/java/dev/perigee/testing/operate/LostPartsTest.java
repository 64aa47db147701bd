package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Two fleets in one real Prometheus, which discovers their parts and evaluates the alerts sixty
 * times as fast as they are written: a minute counts as a second.
 */
@DisplayName("DEP-09: a part that is killed")
@Tag("long")
@NeedsProgram(Program.PROMETHEUS)
final class LostPartsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final String SEEN = "min(count_over_time((count by (fleet, job) (up))[60s:1s]))";

    /** Page of metrics by {@code fleet/job/number}. */
    private final Map<String, HttpServer> parts = new TreeMap<>();

    @TempDir private Path directory;

    @Test
    @DisplayName("raises its fleet's alert though discovery has forgotten it, and no other fleet's")
    void raisesItsAlert() throws Exception {
        for (var fleet : List.of("a", "b")) {
            for (var part : List.of("perigee-gateway/1", "perigee-worker/1", "perigee-worker/2")) {
                start(fleet + "/" + part);
            }
        }
        var targets = discover();
        try (var prometheus = RealPrometheus.discovering(directory, faster(), targets)) {
            await("both fleets were there for most of an hour")
                    .atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> !prometheus.query(SEEN + " > 40").isEmpty());
            assertThat(firing(prometheus)).isEmpty();

            kill("b/perigee-worker/2");
            kill("b/perigee-gateway/1");

            // Until discovery forgets them they are down, which is an alert of its own.
            await("alerts")
                    .atMost(PATIENCE)
                    .untilAsserted(
                            () ->
                                    assertThat(firing(prometheus))
                                            .containsExactly(
                                                    "PerigeeNoPartLeft b perigee-gateway",
                                                    "PerigeePartGone b perigee-worker"));
        } finally {
            parts.values().forEach(part -> part.stop(0));
        }
    }

    private void start(String part) throws IOException {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/metrics",
                exchange -> {
                    try (exchange) {
                        exchange.getResponseHeaders().add("Content-Type", "text/plain");
                        exchange.sendResponseHeaders(200, -1);
                    }
                });
        server.start();
        parts.put(part, server);
    }

    private void kill(String part) throws IOException {
        Objects.requireNonNull(parts.remove(part), part).stop(0);
        discover();
    }

    /** Replaces the file whole: Prometheus may read it at any time. */
    private Path discover() throws IOException {
        var groups =
                parts.entrySet().stream()
                        .map(LostPartsTest::target)
                        .collect(Collectors.joining(",", "[", "]"));
        var written = Files.writeString(directory.resolve("targets.new"), groups);
        return Files.move(
                written,
                directory.resolve("targets.json"),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
    }

    private static String target(Map.Entry<String, HttpServer> part) {
        var words = part.getKey().split("/", 3);
        return """
               {"targets":["127.0.0.1:%d"],"labels":{"fleet":"%s","job":"%s"}}"""
                .formatted(part.getValue().getAddress().getPort(), words[0], words[1]);
    }

    /** The alerts, with seconds for minutes and a minute for an hour. */
    private Path faster() throws IOException {
        var alerts =
                Files.readString(MonitoringRules.ALERTS)
                        .replace("[1h:1m]", "[60s:1s]")
                        .replaceAll("for: (\\d+)m", "for: $1s");
        assertThat(alerts)
                .contains("[60s:1s]")
                .doesNotContain("[1h:1m]")
                .doesNotContainPattern("for: \\d+m");
        return Files.writeString(directory.resolve("alerts.yaml"), alerts);
    }

    private static List<String> firing(RealPrometheus prometheus)
            throws IOException, InterruptedException {
        return prometheus.query("ALERTS{alertstate=\"firing\"}").stream()
                .map(alert -> alert.path("metric"))
                .map(LostPartsTest::described)
                .sorted()
                .toList();
    }

    private static String described(JsonNode labels) {
        return String.join(
                " ",
                labels.path("alertname").asString(),
                labels.path("fleet").asString(),
                labels.path("job").asString());
    }
}
