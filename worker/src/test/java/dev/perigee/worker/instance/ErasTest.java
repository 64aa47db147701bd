package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.COMMAND_RECEIVED;
import static dev.perigee.protocol.event.ServerStatus.CONNECTING;
import static dev.perigee.protocol.event.ServerStatus.DISCOVERING_TOOLS;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static dev.perigee.protocol.event.ServerStatus.SYNCING_TOOLS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@DisplayName("CAL-12: servers of both eras over pipes")
final class ErasTest {
    private static final int STARTS = 3;

    /** So many where other things run at the same time, and few are as quick as they may be. */
    private static final int MOST_STARTS = 30;

    private final InstanceBench bench = new InstanceBench();

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName("a modern server comes online, and every request after initialize has its _meta")
    void modern() {
        var config = InstanceBench.server("a", "--era", "modern");
        online(config);

        assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        var requests = record(config).split("\"method", -1);
        assertThat(requests[1]).contains("initialize").doesNotContain("2026-07-28");
        assertThat(requests).hasSizeGreaterThan(3);
        for (int i = 2; i < requests.length; i++) {
            assertThat(requests[i]).contains("2026-07-28");
        }
        assertThat(catalog(config).protocolVersion()).isEqualTo("2026-07-28");
        assertThat(catalog(config).instructions()).isEqualTo("modern");
    }

    @Test
    @DisplayName("its tools are followed")
    void followsTools() {
        var config = InstanceBench.server("a", "--era", "modern");
        online(config);
        bench.call(config, "tools_set", Map.of("names", List.of("echo", "record")));
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).tools().size() == 2);
        assertThat(record(config)).contains("toolsListChanged");
    }

    @ParameterizedTest
    @DisplayName("a legacy server, and one of both eras, reads what it always did")
    @ValueSource(strings = {"--none", "--silent", "--touchy", "--era both"})
    void legacy(String flags) {
        var config = InstanceBench.server("a", flags.split(" "));
        online(config);

        assertThat(record(config)).contains("initialize").doesNotContain("server/discover");
        assertThat(catalog(config).protocolVersion()).isEqualTo("2025-11-25");
    }

    /** From its first message to the first request for tools, by the server's own clock. */
    @ParameterizedTest
    @DisplayName(
            "a server of either era is asked for its tools within 20 ms of a legacy one's time")
    @ValueSource(strings = {"--era modern", "--era both", "--silent"})
    void startsAsSoon(String flags) {
        // The best of some: what a server is made to wait for, it waits for each time.
        double legacy = Double.MAX_VALUE;
        double other = Double.MAX_VALUE;
        for (int start = 0;
                start < STARTS || (start < MOST_STARTS && other >= legacy + 20);
                start++) {
            legacy = Math.min(legacy, handshakeMillis(InstanceBench.server("l" + start)));
            other =
                    Math.min(
                            other,
                            handshakeMillis(InstanceBench.server("o" + start, flags.split(" "))));
        }

        assertThat(other).isLessThan(legacy + 20);
    }

    private double handshakeMillis(ServerConfig config) {
        online(config);
        var lines = array(bench.text(config, "record", Map.of()));
        var times = array(bench.text(config, "record", Map.of("times", true)));
        int asked = 0;
        while (!lines.path(asked).asString("").contains("\"tools/list\"")) {
            asked++;
            assertThat(asked).isLessThan(lines.size());
        }
        return times.path(asked).asDouble(Double.NaN) - times.path(0).asDouble(Double.NaN);
    }

    private static JsonNode array(String text) {
        return Json.tree(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("a program that ends whatever it is asked fails to start, once")
    void endsAnyway() {
        var config = InstanceBench.server("a", "--die", "no database");
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.FAILED);
        assertThat(bench.snapshot(config).statusMessage()).contains("no database");
    }

    private void online(ServerConfig config) {
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.journal(config).statuses())
                .containsExactly(
                        COMMAND_RECEIVED, CONNECTING, DISCOVERING_TOOLS, SYNCING_TOOLS, ONLINE);
    }

    /** What the server read. */
    private String record(ServerConfig config) {
        return bench.text(config, "record", Map.of()).replace("\\", "");
    }

    private Catalog catalog(ServerConfig config) {
        return bench.journal(config).all(Catalog.class).getLast();
    }
}
