package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.part.HealthProbe;
import dev.perigee.testing.Checkout;
import dev.perigee.worker.WorkerSettings;
import dev.perigee.worker.instance.InstanceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@DisplayName("The compose file")
final class ComposeTest {
    private static final Path INFRA = Checkout.root().resolve("infra");

    private final JsonNode compose = Compose.read();

    @TempDir Path directory;

    @Test
    @DisplayName("has three brokers, two gateways, three workers, Prometheus and Grafana")
    void isAWholeFleet() {
        var count = new HashMap<String, Integer>();
        compose.path("services")
                .propertyNames()
                .forEach(name -> count.merge(name.replaceAll("-\\d$", ""), 1, Integer::sum));

        assertThat(count)
                .isEqualTo(
                        Map.of(
                                "kafka",
                                3,
                                "topics",
                                1,
                                "gateway",
                                2,
                                "worker",
                                3,
                                "prometheus",
                                1,
                                "grafana",
                                1));
    }

    @Test
    @DisplayName("sets what gateways and workers know, and gives a worker time to drain")
    void setsKnownKeys() throws IOException {
        var secret = Files.writeString(directory.resolve("secret"), "s");
        var ids = new ArrayList<String>();
        for (var name : List.of("gateway-1", "gateway-2", "worker-1", "worker-2", "worker-3")) {
            var service = compose.at("/services/" + name);
            var environment = new TreeMap<String, String>();
            service.path("environment")
                    .properties()
                    .forEach(it -> environment.put(it.getKey(), it.getValue().asString()));
            var part = name.substring(0, name.indexOf('-'));
            var settings = PartEnvironment.read(part, environment, secret);
            ids.add(environment.get("PERIGEE_" + part.toUpperCase(Locale.ROOT) + "_ID"));
            if (part.equals("worker")) {
                var needed =
                        settings.value(WorkerSettings.DRAIN_TIMEOUT)
                                .plus(
                                        settings.value(InstanceSettings.TERMINATION_GRACE)
                                                .multipliedBy(2));
                var given = service.path("stop_grace_period").asString();
                assertThat(Duration.parse("PT" + given)).isGreaterThan(needed);
                assertThat(service.path("networks").has("fleet"))
                        .as("workers are not where brokers are")
                        .isFalse();
            }
        }
        assertThat(ids).doesNotHaveDuplicates().doesNotContainNull();
    }

    @Test
    @DisplayName("mounts what exists, and joins networks and waits for services that exist")
    void isWhole() {
        for (var service : compose.path("services").properties()) {
            var name = service.getKey();
            for (var volume : MonitoringRules.list(service.getValue().path("volumes"))) {
                var source = volume.asString().split(":")[0];
                if (source.startsWith(".")) {
                    assertThat(INFRA.resolve(source)).as(name).exists();
                } else {
                    assertThat(compose.path("volumes").has(source)).as(name).isTrue();
                }
            }
            var networks = service.getValue().path("networks");
            var joined = new ArrayList<String>(networks.propertyNames());
            MonitoringRules.list(networks).stream()
                    .filter(JsonNode::isString)
                    .forEach(network -> joined.add(network.asString()));
            assertThat(joined).as(name).isNotEmpty();
            assertThat(compose.path("networks").propertyNames()).as(name).containsAll(joined);
            assertThat(compose.path("services").propertyNames())
                    .containsAll(service.getValue().path("depends_on").propertyNames());
        }
    }

    @Test
    @DisplayName("DEP-05: limits the memory, processes, processors and log of every part")
    void limitsAll() {
        for (var service : compose.path("services").properties()) {
            var name = service.getKey();
            var limits = service.getValue();
            assertThat(limits.path("mem_limit").asString()).as(name).matches("[1-9]\\d*[mg]");
            assertThat(limits.path("pids_limit").asInt()).as(name).isBetween(64, 4096);
            assertThat(limits.path("cpus").asDouble()).as(name).isBetween(0.5, 2.0);
            var log = limits.path("logging");
            assertThat(log.path("driver").asString()).as(name).isEqualTo("json-file");
            assertThat(log.at("/options/max-size").asString()).as(name).matches("\\d+m");
            assertThat(log.at("/options/max-file").asInt()).as(name).isPositive();
            for (var mount : MonitoringRules.list(limits.path("tmpfs"))) {
                assertThat(mount.asString()).as(name).contains("size=");
            }
        }
    }

    @Test
    @DisplayName("DEP-05: has a health check of every part, so that --wait means ready")
    void checksHealth() {
        for (var service : compose.path("services").properties()) {
            var name = service.getKey();
            var check = service.getValue().path("healthcheck");
            if (name.equals("topics")) {
                assertThat(check.isMissingNode()).as("it ends, and that is waited for").isTrue();
                continue;
            }
            assertThat(MonitoringRules.list(check.path("test")).getFirst().asString())
                    .as(name + ": no shell parses it")
                    .isEqualTo("CMD");
            assertThat(seconds(check, "interval")).as(name).isBetween(5L, 10L);
            assertThat(seconds(check, "timeout")).as(name).isLessThanOrEqualTo(10);
            assertThat(check.path("retries").asInt()).as(name).isBetween(3, 10);
            assertThat(check.has("start_period")).as(name).isTrue();
            if (name.startsWith("gateway") || name.startsWith("worker")) {
                asksWhetherReady(name, service.getValue());
            }
        }
    }

    private static long seconds(JsonNode check, String what) {
        return Duration.parse("PT" + check.path(what).asString()).toSeconds();
    }

    private static void asksWhetherReady(String name, JsonNode service) {
        var test =
                MonitoringRules.list(service.at("/healthcheck/test")).stream()
                        .map(JsonNode::asString)
                        .toList();
        var admin = service.at("/environment/PERIGEE_ADMIN_LISTEN").asString();
        assertThat(test)
                .as(name)
                .containsSubsequence(
                        "/opt/java/bin/java",
                        "@/opt/perigee/java.args",
                        HealthProbe.class.getName(),
                        "http://" + admin + "/health/ready")
                .hasSize(7);
    }

    @Test
    @DisplayName("DEP-05: has workers that are read-only and may gain no privileges")
    void restrictsWorkers() {
        for (var name : List.of("worker-1", "worker-2", "worker-3")) {
            var worker = compose.at("/services/" + name);
            assertThat(worker.path("read_only").asBoolean()).as(name).isTrue();
            assertThat(MonitoringRules.list(worker.path("security_opt")))
                    .as(name)
                    .extracting(JsonNode::asString)
                    .contains("no-new-privileges=true");
        }
    }

    /** Of other projects: what they write beside their volumes is theirs to say. */
    private static final List<String> WRITES_BESIDE = List.of("apache/kafka", "grafana/grafana");

    /**
     * Jails have a /proc of their own, which the kernel allows only where none of it is covered.
     */
    private static final String PROC = "systempaths=unconfined";

    @Test
    @DisplayName("TEN-13: restricts all containers, and is unconfined nowhere but in /proc")
    void restrictsAll() {
        for (var service : compose.path("services").properties()) {
            var name = service.getKey();
            var restrictions = service.getValue();
            assertThat(MonitoringRules.list(restrictions.path("cap_drop")))
                    .as(name)
                    .extracting(JsonNode::asString)
                    .containsExactly("ALL");
            assertThat(MonitoringRules.list(restrictions.path("security_opt")))
                    .as(name)
                    .extracting(JsonNode::asString)
                    .contains("no-new-privileges=true")
                    .noneMatch(option -> option.contains("unconfined") && !option.equals(PROC));
            for (var loose : List.of("privileged", "cap_add", "pid", "ipc", "userns_mode")) {
                assertThat(restrictions.has(loose)).as(name + " " + loose).isFalse();
            }
            var image = restrictions.path("image").asString().split(":")[0];
            assertThat(restrictions.path("read_only").asBoolean(false))
                    .as(name)
                    .isEqualTo(!WRITES_BESIDE.contains(image));
        }
    }

    @Test
    @NeedsProgram(Program.COMPOSE)
    @DisplayName("is taken by docker compose")
    void isTaken() throws Exception {
        assertThat(Compose.complaints()).isEmpty();
    }

    @Test
    @NeedsProgram(Program.PROMTOOL)
    @DisplayName("has a Prometheus whose configuration Debian's promtool takes")
    void hasPrometheus() throws Exception {
        var config = INFRA.resolve("dashboards/prometheus/prometheus.yaml").toString();

        assertThat(Promtool.run("check", "config", config)).contains("SUCCESS");
    }
}
