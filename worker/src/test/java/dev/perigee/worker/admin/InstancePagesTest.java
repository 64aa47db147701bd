package dev.perigee.worker.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.event.Heartbeat.ProcessSummary;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.worker.instance.InstanceIdentity;
import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.instance.InstanceState;
import dev.perigee.worker.process.ServerUsage;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What operators and backends are shown of instances. */
final class InstancePagesTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    private static final List<InstanceSnapshot> INSTANCES =
            List.of(
                    instance("a", "t1", "u1", InstanceState.RUNNING, ServerStatus.ONLINE, false),
                    instance("b", "t1", "u2", InstanceState.TERMINATED, ServerStatus.ONLINE, true),
                    instance("c", "t2", "u3", InstanceState.STARTING, null, false),
                    instance(
                            "d",
                            "t2",
                            "u3",
                            InstanceState.FAILED,
                            ServerStatus.PERMANENTLY_FAILED,
                            false));

    private static InstanceSnapshot instance(
            String id,
            String team,
            String user,
            InstanceState state,
            @Nullable ServerStatus status,
            boolean dormant) {
        boolean running = state == InstanceState.RUNNING;
        return new InstanceSnapshot(
                new InstanceIdentity(1, "s-" + id, 7, "i-" + id, "name-" + id, "s", team, user),
                TransportType.STDIO,
                "hash",
                state,
                status,
                null,
                NOW,
                dormant,
                false,
                running ? 42L : null,
                running ? NOW.minusSeconds(90) : null,
                running ? "healthy" : "unknown",
                running ? NOW.minusSeconds(5) : null,
                state == InstanceState.FAILED ? 3 : 0,
                12,
                2,
                running ? 1 : 0,
                NOW.minusSeconds(1),
                List.of(),
                Set.of());
    }

    @ParameterizedTest(name = "{0} finds {1}")
    @DisplayName("PRO-86: instances are found by id, name, team and user, and by state within them")
    @CsvSource({
        "'', 'a b c d'",
        "process=s-b, b",
        "name=name-c, c",
        "installation=i-a, a",
        "team=t1, 'a b'",
        "team=t2&state=failed, d",
        "team=t1&user=u2, b",
        "user=u1&team=t2, ''",
        "state=running, a",
    })
    void finds(String asked, String ids) {
        var wanted = new HashMap<String, String>();
        for (var pair : asked.isEmpty() ? new String[0] : asked.split("&")) {
            wanted.put(pair.split("=")[0], pair.split("=")[1]);
        }
        var found =
                StreamSupport.stream(page(wanted).path("instances").spliterator(), false)
                        .map(it -> it.path("process_id").asString())
                        .toList();
        assertThat(found)
                .isEqualTo(
                        ids.isEmpty()
                                ? List.of()
                                : List.of(ids.split(" ")).stream().map(id -> "s-" + id).toList());
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> new InstanceQuery(Map.of("teem", "t1")))
                .hasMessageContaining("[process, name, installation, team, user, state]");
    }

    @Test
    @DisplayName("PRO-85, PRO-90: counts by state and of dormant ones, also within a team")
    void countsOnThePage() {
        var all = page(Map.of());
        assertThat(all.path("count").asInt()).isEqualTo(4);
        assertThat(all.path("dormant_count").asInt()).isEqualTo(1);
        assertThat(all.path("counts_by_state").toString())
                .isEqualTo(
                        "{\"failed\":1,\"running\":1,\"starting\":1,\"terminated\":1,"
                                + "\"terminating\":0}");
        assertThat(page(Map.of("team", "t2")).at("/counts_by_state/failed").asInt()).isEqualTo(1);
        assertThat(page(Map.of("team", "t1")).at("/counts_by_state/failed").asInt()).isZero();
        assertThat(page(Map.of("process", "s-d")).at("/instances/0/permanently_failed").asBoolean())
                .isTrue();
    }

    @Test
    @DisplayName("PRO-85, PRO-87, PRO-88, PRO-89, PRO-90: a heartbeat tells all of it, by team")
    void reports() {
        var heartbeat = heartbeat();

        assertThat(heartbeat.processesByTeam().keySet()).containsExactly("t1", "t2");
        assertThat(heartbeat.processesByTeam().get("t1"))
                .extracting(ProcessSummary::processId)
                .containsExactly("s-a", "s-b");
        assertThat(heartbeat.dormantCount()).isEqualTo(1);
        assertThat(heartbeat.serversProcessCount()).isEqualTo(3);
        assertThat(heartbeat.serversMemoryBytes()).isEqualTo(5000);
        assertThat(heartbeat.serversCpuLoad()).isEqualTo(0.25);
        assertThat(heartbeat.countsByState())
                .containsEntry("running", 1)
                .containsEntry("failed", 1)
                .containsEntry("terminating", 0);
        var running = summary(heartbeat, "s-a");
        assertThat(running.health()).isEqualTo("healthy");
        assertThat(running.lastHealthCheckAt()).isEqualTo(NOW.minusSeconds(5));
        assertThat(running.uptimeSeconds()).isEqualTo(90);
        assertThat(running.messageCount()).isEqualTo(12);
        assertThat(running.errorCount()).isEqualTo(2);
        assertThat(running.activeRequests()).isEqualTo(1);
        assertThat(running.lastActivityAt()).isEqualTo(NOW.minusSeconds(1));
        assertThat(running.installationName()).isEqualTo("name-a");
        assertThat(summary(heartbeat, "s-b").dormant()).isTrue();
        assertThat(summary(heartbeat, "s-b").uptimeSeconds()).isZero();
        var failed = summary(heartbeat, "s-d");
        assertThat(failed.status()).isEqualTo(ServerStatus.PERMANENTLY_FAILED);
        assertThat(failed.crashCount()).isEqualTo(3);
        assertThat(failed.health()).isEqualTo("unknown");
    }

    private static ProcessSummary summary(Heartbeat heartbeat, String processId) {
        return heartbeat.processesByTeam().values().stream()
                .flatMap(List::stream)
                .filter(it -> it.processId().equals(processId))
                .findFirst()
                .orElseThrow();
    }

    private static Heartbeat heartbeat() {
        return new HeartbeatReport(
                        new HeartbeatReport.About(
                                "w", "i", "v", "none", URI.create("http://h:1"), NOW),
                        new HeartbeatReport.Source() {
                            @Override
                            public List<InstanceSnapshot> instances() {
                                return INSTANCES;
                            }

                            @Override
                            public List<Integer> partitions() {
                                return List.of(1);
                            }

                            @Override
                            public String status() {
                                return "running";
                            }

                            @Override
                            public ServerUsage.Usage servers() {
                                return new ServerUsage.Usage(3, 5000, 1, 0.25);
                            }
                        },
                        InstantSource.fixed(NOW))
                .get();
    }

    private static JsonNode page(Map<String, String> wanted) {
        return Json.tree(new DebugInstances(() -> INSTANCES).page(new InstanceQuery(wanted)));
    }
}
