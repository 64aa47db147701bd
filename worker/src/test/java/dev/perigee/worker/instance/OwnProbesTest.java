package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.CONNECTING;
import static dev.perigee.protocol.event.ServerStatus.DISCOVERING_TOOLS;
import static dev.perigee.protocol.event.ServerStatus.OFFLINE;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static dev.perigee.protocol.event.ServerStatus.REQUIRES_REAUTH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.mcp.HttpFixture;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A worker's own probes of a server over HTTP")
final class OwnProbesTest {
    private static final Map<String, String> ECHO = Map.of("message", "hi");
    private static final String OK = "{'mode':'ok','reset':true}";
    private static final int INSTALLED = 5;

    private HttpFixture server;

    @BeforeEach
    void start() throws Exception {
        server = HttpFixture.start();
    }

    @AfterEach
    void end() {
        server.close();
    }

    @ParameterizedTest
    @DisplayName("CAL-16: find one that hangs or is gone, and that it came back, without a call")
    @ValueSource(strings = {"silent", "refuse"})
    void findIt(String fault) throws Exception {
        try (var bench = probing()) {
            var config = online(bench);

            server.order("{'mode':'%s'}".formatted(fault));
            awaitStatus(bench, config, OFFLINE);
            assertThat(bench.snapshot(config).statusMessage()).startsWith("Server unreachable");

            server.order(OK);
            awaitStatus(bench, config, ONLINE);
            assertThat(bench.journal(config).statuses().subList(INSTALLED, INSTALLED + 4))
                    .containsExactly(OFFLINE, CONNECTING, DISCOVERING_TOOLS, ONLINE);
            assertThat(server.count("tools/call")).isZero();
        }
    }

    @Test
    @DisplayName("CAL-15: take the refusal of one request for an answer, and doubt one silence")
    void areNotRash() throws Exception {
        try (var bench = probing("4s")) { // Long enough that only what is ordered is a silence.
            var config = online(bench);
            server.order("{'mode':'status','status':400,'only':'ping','reset':true}");
            awaitPings(3);
            server.order("{'mode':'silent','only':'ping','times':1,'reset':true}");
            awaitPings(3);

            assertThat(bench.journal(config).statuses()).hasSize(INSTALLED);
        }
    }

    @Test
    @DisplayName("REC-06: leave one alone that waits for its user")
    void leaveItAlone() throws Exception {
        try (var bench = probing()) {
            var config = online(bench);
            server.order("{'mode':'status','status':401}");
            awaitStatus(bench, config, REQUIRES_REAUTH);
            server.order(OK);

            await().pollDelay(Duration.ofSeconds(1))
                    .atMost(InstanceBench.PATIENCE)
                    .until(() -> server.count("ping") == 0);
            assertThat(bench.snapshot(config).status()).isEqualTo(REQUIRES_REAUTH);
        }
    }

    @Test
    @DisplayName("CAL-16: a flapping server comes back twice as it does, then once in a pause")
    void dampsFlapping() throws Exception {
        var settings =
                Map.of(
                        "retry.max-attempts", "1",
                        "health.probe-interval", "0",
                        "health.recovery-pause", "5s");
        try (var bench = new InstanceBench(settings)) {
            var config = online(bench);
            for (int outage = 0; outage < 3; outage++) {
                server.order("{'mode':'refuse'}");
                bench.call(config, "echo", ECHO);
                awaitStatus(bench, config, OFFLINE);
                server.order(OK);
                assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
                if (outage < 2) {
                    awaitStatus(bench, config, ONLINE);
                }
            }
            awaitStatus(bench, config, ONLINE); // By the probe at the end of the pause.

            var back =
                    bench.journal(config).all(StatusChanged.class).stream()
                            .filter(event -> event.status() == CONNECTING)
                            .count();
            assertThat(back).isEqualTo(1 + 3);
            assertThat(server.count("ping")).isEqualTo(1);
        }
    }

    private static InstanceBench probing() {
        return probing("500ms");
    }

    private static InstanceBench probing(String timeout) {
        return new InstanceBench(
                Map.of(
                        "health.probe-interval", "200ms",
                        "health.connectivity-timeout", timeout,
                        "health.recovery-pause", "0"));
    }

    private void awaitPings(int count) {
        await().atMost(InstanceBench.PATIENCE).until(() -> server.count("ping") >= count);
    }

    private static void awaitStatus(InstanceBench bench, ServerConfig config, ServerStatus status) {
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == status);
    }

    private ServerConfig online(InstanceBench bench) {
        var config =
                ServerConfigBuilder.elsewhere(
                                "a",
                                "slug-a",
                                new Owner("t1", "acme", "u1", "alice"),
                                TransportType.HTTP,
                                server.url())
                        .installationName("name-a")
                        .build();
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        return config;
    }
}
