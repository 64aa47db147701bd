package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Who of the compose file's parts reaches what; {@code EngineTest} tries it where it runs. */
@DisplayName("The compose file's networks")
final class ComposeNetworksTest {
    private static final Path SCRAPES =
            Checkout.root().resolve("infra/dashboards/prometheus/prometheus.yaml");
    private static final String OWN_ADDRESSES = "net.ipv4.conf.all.arp_ignore";
    private static final List<String> WORKERS = List.of("worker-1", "worker-2", "worker-3");
    private static final List<String> GATEWAYS = List.of("gateway-1", "gateway-2");

    private final JsonNode compose = Compose.read();

    private JsonNode service(String name) {
        return compose.at("/services/" + name);
    }

    /** Where a service is, by the networks' names. */
    private Set<String> networks(String service) {
        var networks = service(service).path("networks");
        var names = new TreeSet<>(networks.propertyNames());
        MonitoringRules.list(networks).stream()
                .filter(JsonNode::isString)
                .forEach(network -> names.add(network.asString()));
        return names;
    }

    private List<String> on(String network) {
        return compose.path("services").propertyNames().stream()
                .filter(service -> networks(service).contains(network))
                .toList();
    }

    /** The one network on which a service has that name, which is no other's. */
    private String networkOf(String service, String alias) {
        var found = new ArrayList<String>();
        for (var each : compose.path("services").properties()) {
            for (var network : each.getValue().path("networks").properties()) {
                for (var name : MonitoringRules.list(network.getValue().path("aliases"))) {
                    if (name.asString().equals(alias)) {
                        assertThat(each.getKey()).isEqualTo(service);
                        found.add(network.getKey());
                    }
                }
            }
        }
        assertThat(compose.path("services").has(alias)).as("a name on all networks").isFalse();
        assertThat(found).as(alias).hasSize(1);
        return found.getFirst();
    }

    /** What listens at an address like {@code name:port} listens on that network alone. */
    private String listens(String service, String address) {
        assertThat(service(service).path("sysctls").path(OWN_ADDRESSES).asInt())
                .as(service + " answers for no address on another network")
                .isEqualTo(1);
        return networkOf(service, address.replaceFirst(":\\d+$", ""));
    }

    private String admin(String part) {
        return listens(part, service(part).at("/environment/PERIGEE_ADMIN_LISTEN").asString());
    }

    private String prometheus() {
        var flag = "--web.listen-address=";
        var address =
                MonitoringRules.list(service("prometheus").path("command")).stream()
                        .map(JsonNode::asString)
                        .filter(it -> it.startsWith(flag))
                        .toList();
        assertThat(address).hasSize(1);
        return listens("prometheus", address.getFirst().substring(flag.length()));
    }

    @Test
    @DisplayName("DEP-05: have no worker where a console, Prometheus or Grafana can be reached")
    void hideMonitoringFromWorkers() {
        var monitoring = new TreeSet<>(networks("grafana"));
        monitoring.add(prometheus());
        GATEWAYS.forEach(gateway -> monitoring.add(admin(gateway)));

        for (var worker : WORKERS) {
            assertThat(networks(worker)).as(worker).doesNotContainAnyElementsOf(monitoring);
        }
    }

    @Test
    @DisplayName("DEP-05: have nobody where a worker's admin pages are but Prometheus")
    void hideAdminPagesOfWorkers() {
        for (var worker : WORKERS) {
            var network = admin(worker);
            assertThat(on(network)).containsExactlyInAnyOrder(worker, "prometheus");
            assertThat(compose.at("/networks/" + network).path("internal").asBoolean()).isTrue();
        }
    }

    @Test
    @DisplayName("have brokers where no worker is, and gateways where both are")
    void hideBrokersFromWorkers() {
        var brokers = networks("kafka-1");
        for (var worker : WORKERS) {
            assertThat(networks(worker)).doesNotContainAnyElementsOf(brokers);
            for (var gateway : GATEWAYS) {
                assertThat(networks(gateway)).containsAnyElementsOf(networks(worker));
                assertThat(networks(gateway)).containsAll(brokers);
            }
        }
    }

    /** An engine publishes on the network whose name is the first of those with a way out. */
    @Test
    @DisplayName("DEP-05: publish the consoles, on this machine alone and where they listen")
    void publishConsoles() {
        var published = new ArrayList<String>();
        for (var name : compose.path("services").propertyNames()) {
            for (var port : MonitoringRules.list(service(name).path("ports"))) {
                assertThat(port.asString()).as(name).startsWith("127.0.0.1:");
                published.add(name + " " + port.asString());
            }
        }
        assertThat(published)
                .contains(
                        "gateway-1 127.0.0.1:7081:7081",
                        "gateway-2 127.0.0.1:7082:7081",
                        "prometheus 127.0.0.1:9090:9090",
                        "grafana 127.0.0.1:3000:3000")
                .noneMatch(port -> port.startsWith("worker"))
                .doesNotHaveDuplicates();
        assertThat(networks("prometheus").stream().sorted().findFirst()).contains(prometheus());
        for (var gateway : GATEWAYS) {
            assertThat(networks(gateway).stream().sorted().findFirst()).contains(admin(gateway));
        }
    }

    @Test
    @DisplayName("DEP-05: let Prometheus find each part, and workers lead it nowhere")
    void letPrometheusIn() throws IOException {
        var config =
                new JsonMapper().valueToTree(new Yaml().<Object>load(Files.readString(SCRAPES)));
        for (var job : MonitoringRules.list(config.path("scrape_configs"))) {
            var parts =
                    job.path("job_name").asString().equals("perigee-worker") ? WORKERS : GATEWAYS;
            var reached = new TreeSet<String>();
            for (var name : MonitoringRules.list(job.at("/dns_sd_configs/0/names"))) {
                for (var part : parts) {
                    if (aliases(part).contains(name.asString())) {
                        reached.add(part);
                        assertThat(networks("prometheus")).contains(admin(part));
                    }
                }
            }
            assertThat(reached).isEqualTo(new TreeSet<>(parts));
            if (parts.equals(WORKERS)) {
                assertThat(job.path("follow_redirects").asBoolean(true)).isFalse();
                assertThat(job.path("sample_limit").asInt()).isPositive();
                assertThat(job.path("body_size_limit").asString()).isNotEmpty();
            }
        }
    }

    private List<String> aliases(String part) {
        var network = service(part).path("networks").path(admin(part));
        return MonitoringRules.list(network.path("aliases")).stream()
                .map(JsonNode::asString)
                .toList();
    }
}
