package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
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
            for (var volume : Rules.list(service.getValue().path("volumes"))) {
                var source = volume.asString().split(":")[0];
                if (source.startsWith(".")) {
                    assertThat(INFRA.resolve(source)).as(name).exists();
                } else {
                    assertThat(compose.path("volumes").has(source)).as(name).isTrue();
                }
            }
            var networks = service.getValue().path("networks");
            var joined = new ArrayList<String>(networks.propertyNames());
            Rules.list(networks).stream()
                    .filter(JsonNode::isString)
                    .forEach(network -> joined.add(network.asString()));
            assertThat(joined).as(name).isNotEmpty();
            assertThat(compose.path("networks").propertyNames()).as(name).containsAll(joined);
            assertThat(compose.path("services").propertyNames())
                    .containsAll(service.getValue().path("depends_on").propertyNames());
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
            assertThat(Rules.list(restrictions.path("cap_drop")))
                    .as(name)
                    .extracting(JsonNode::asString)
                    .containsExactly("ALL");
            assertThat(Rules.list(restrictions.path("security_opt")))
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
