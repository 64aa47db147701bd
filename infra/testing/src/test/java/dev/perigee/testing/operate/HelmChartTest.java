package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.marcnuri.helm.Helm;
import dev.perigee.testing.Checkout;
import dev.perigee.worker.WorkerSettings;
import dev.perigee.worker.instance.InstanceSettings;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@DisplayName("The Helm chart")
final class HelmChartTest {
    private static final Map<String, String> LEAST =
            Map.of(
                    "kafka.bootstrapServers", "kafka-0.kafka:9092",
                    "link.secretName", "the-link",
                    "admin.secretName", "the-admin");

    @TempDir Path directory;

    @Test
    @DisplayName("passes helm's lint")
    void isClean() {
        var lint = new Helm(Manifests.CHART).lint().strict().call();

        assertThat(lint.isFailed()).as(lint.getMessages().toString()).isFalse();
    }

    @Test
    @DisplayName("renders to what Kubernetes knows, with every value that switches something")
    void isValid() {
        assertThat(Manifests.render(LEAST).foreign()).isEmpty();
        var foreign = Manifests.render(everything()).foreign();
        assertThat(foreign)
                .extracting(Manifests::kindOf)
                .containsExactly("keda.sh/v1alpha1/ScaledObject");
        var scaled = foreign.getFirst();
        assertThat(scaled.at("/spec/scaleTargetRef/name").asString()).isEqualTo("perigee-gateway");
        assertThat(scaled.at("/spec/triggers/0/type").asString()).isEqualTo("kafka");
        assertThat(scaled.at("/spec/triggers/0/metadata/consumerGroup").asString())
                .isEqualTo("mcp.gateway");
        assertThat(scaled.at("/spec/triggers/0/metadata/topic").asString())
                .isEqualTo("mcp.tool-requests");
    }

    private static Map<String, String> everything() {
        var values = new HashMap<>(LEAST);
        values.putAll(
                Map.of(
                        "link.tls.workerSecretName", "worker-tls",
                        "link.tls.gatewaySecretName", "gateway-tls",
                        "kafka.secretName", "kafka",
                        "kafka.properties.security\\.protocol", "SASL_SSL",
                        "worker.cache.size", "10Gi",
                        "worker.cache.storageClassName", "fast",
                        "autoscaling.enabled", "true",
                        "networkPolicy.adminFrom[0].namespaceSelector.matchLabels.name", "mon"));
        values.put("worker.settings.idle\\.timeout", "60s");
        values.put("gateway.settings.placement\\.settle", "1m");
        return values;
    }

    @ParameterizedTest
    @CsvSource({
        "kafka.bootstrapServers, kafka",
        "gateway.replicas, -1",
        "worker.nodes, 3",
        "worker.image.digest, latest",
        "gateway.extraEnv[0].value, 3",
        "monitoring.rules.on, true",
        "link.secretName, Not_A_Name",
        "topics.prefix, a/b",
        "worker.jail.procMount, Masked",
        "worker.jail.appArmorProfile, Unconfined",
        "worker.jail.seccompProfile, Unconfined"
    })
    @DisplayName("refuses values that make no sense")
    void refuses(String key, String value) {
        var values = new HashMap<>(LEAST);
        values.put(key, value);

        assertThatThrownBy(() -> Manifests.render(values)).hasMessageContaining("schema");
    }

    @Test
    @DisplayName("asks for what it cannot do without")
    void asks() {
        for (var key : LEAST.keySet()) {
            var values = new HashMap<>(LEAST);
            values.remove(key);

            assertThatThrownBy(() -> Manifests.render(values)).hasMessageContaining(key);
        }
    }

    @Test
    @DisplayName("sets what gateways and workers know")
    void setsKnownKeys() throws IOException {
        var least = Manifests.render(LEAST);
        settings("worker", worker(least).getSpec().getTemplate());
        assertThat(settings("gateway", gateway(least).getSpec().getTemplate()))
                .containsEntry(
                        "PERIGEE_WORKERS",
                        "srv+ws://_link._tcp.perigee-worker.fleet.svc.cluster.local/link");

        var most = Manifests.render(everything());
        assertThat(settings("worker", worker(most).getSpec().getTemplate()))
                .containsEntry("PERIGEE_IDLE_TIMEOUT", "60s");
        var gateway = settings("gateway", gateway(most).getSpec().getTemplate());
        assertThat(gateway.get("PERIGEE_WORKERS")).startsWith("srv+wss://");
        assertThat(gateway)
                .containsEntry("PERIGEE_PLACEMENT_SETTLE", "1m")
                .containsEntry("PERIGEE_KAFKA_SECURITY_PROTOCOL", "SASL_SSL");
    }

    private Map<String, String> settings(String part, PodTemplateSpec template) throws IOException {
        var secret = Files.writeString(directory.resolve("secret"), "s");
        var environment = new TreeMap<String, String>();
        for (EnvVar variable : container(template).getEnv()) {
            var value = variable.getValue();
            environment.put(variable.getName(), value == null ? part + "-0" : value);
        }
        PartEnvironment.read(part, environment, secret);
        return environment;
    }

    @Test
    @DisplayName("DEP-07: a setting replaces what the chart sets, and extraEnv both, once each")
    void isOverridden() throws IOException {
        var values = new HashMap<>(LEAST);
        values.put("gateway.settings.workers\\.refresh", "5s");
        values.put("worker.settings.link\\.listen", "0.0.0.0:7999");
        values.put("worker.settings.idle\\.timeout", "60s");
        values.put("worker.extraEnv[0].name", "PERIGEE_IDLE_TIMEOUT");
        values.put("worker.extraEnv[0].value", "90s");
        values.put("worker.extraEnv[1].name", "TZ");
        values.put("worker.extraEnv[1].value", "UTC");
        var manifests = Manifests.render(values);
        for (var template : templates(manifests).subList(0, 2)) {
            assertThat(container(template).getEnv())
                    .extracting(EnvVar::getName)
                    .doesNotHaveDuplicates();
        }

        assertThat(settings("gateway", gateway(manifests).getSpec().getTemplate()))
                .containsEntry("PERIGEE_WORKERS_REFRESH", "5s");
        assertThat(container(worker(manifests).getSpec().getTemplate()).getEnv())
                .extracting(EnvVar::getName, EnvVar::getValue)
                .contains(
                        tuple("PERIGEE_LINK_LISTEN", "0.0.0.0:7999"),
                        tuple("PERIGEE_IDLE_TIMEOUT", "90s"),
                        tuple("TZ", "UTC"));
    }

    @Test
    @DisplayName("DEP-07: ports and the grace period follow settings that replace the chart's own")
    void followsSettings() {
        var values = new HashMap<>(LEAST);
        values.put("worker.settings.link\\.listen", "0.0.0.0:7999");
        values.put("worker.settings.admin\\.listen", "0.0.0.0:7998");
        values.put("worker.settings.worker\\.drain-timeout", "10m");
        values.put("worker.extraEnv[0].name", "PERIGEE_PROCESS_TERMINATION_GRACE");
        values.put("worker.extraEnv[0].value", "1500ms");
        values.put("gateway.extraEnv[0].name", "PERIGEE_ADMIN_LISTEN");
        values.put("gateway.extraEnv[0].value", "[::]:7997");
        values.put("networkPolicy.adminFrom[0].namespaceSelector.matchLabels.name", "mon");
        var manifests = Manifests.render(values);
        var worker = worker(manifests).getSpec().getTemplate();
        var gateway = gateway(manifests).getSpec().getTemplate();

        assertThat(worker.getSpec().getTerminationGracePeriodSeconds()).isEqualTo(600 + 2 + 2 + 20);
        assertThat(ports(worker)).containsExactly(7999, 7998);
        assertThat(ports(gateway)).containsExactly(7997);
        assertThat(worker.getMetadata().getAnnotations())
                .containsEntry("prometheus.io/port", "7998");
        assertThat(gateway.getMetadata().getAnnotations())
                .containsEntry("prometheus.io/port", "7997");
        assertThat(ingressPorts(manifests, "perigee-worker")).containsExactly(7999, 7998);
        assertThat(ingressPorts(manifests, "perigee-gateway")).containsExactly(7997);
    }

    private static List<Integer> ports(PodTemplateSpec template) {
        return container(template).getPorts().stream()
                .map(ContainerPort::getContainerPort)
                .toList();
    }

    private static List<Integer> ingressPorts(Manifests manifests, String policy) {
        return manifests.one(NetworkPolicy.class, policy).getSpec().getIngress().stream()
                .flatMap(rule -> rule.getPorts().stream())
                .map(port -> port.getPort().getIntVal())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "worker | worker\\.id | w | each pod has its own name",
                "gateway | gateway\\.id | g | each pod has its own name",
                "gateway | topics\\.prefix | x. | topics.prefix",
                "worker | link\\.listen | 7999 | host:port",
                "worker | worker\\.drain-timeout | soon | a duration such as"
            })
    @DisplayName(
            "DEP-07: refuses settings that contradict the rest of the chart, and says what to set")
    void refusesContradictions(String part, String key, String value, String message) {
        var values = new HashMap<>(LEAST);
        values.put(part + ".settings." + key, value);

        assertThatThrownBy(() -> Manifests.render(values)).hasMessageContaining(message);
    }

    @Test
    @DisplayName("DEP-07: places pods, names images by digest and annotates as it is told")
    void isPlaced() {
        var digest = "sha256:" + "0a".repeat(32);
        for (var part : List.of("gateway", "worker")) {
            var values = new HashMap<>(LEAST);
            values.put(part + ".image.digest", digest);
            values.put(part + ".priorityClassName", "high");
            values.put(part + ".podLabels.squad", "a");
            values.put(part + ".podAnnotations.note", "b");
            values.put(part + ".annotations.reloader", "c");
            values.put(
                    part
                            + ".affinity.podAntiAffinity"
                            + ".requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
                    "zone");
            var manifests = Manifests.render(values);
            assertThat(manifests.foreign()).isEmpty();
            boolean isWorker = part.equals("worker");
            var metadata =
                    isWorker ? worker(manifests).getMetadata() : gateway(manifests).getMetadata();
            var template =
                    isWorker
                            ? worker(manifests).getSpec().getTemplate()
                            : gateway(manifests).getSpec().getTemplate();

            assertThat(metadata.getAnnotations()).containsEntry("reloader", "c");
            assertThat(template.getMetadata().getLabels()).containsEntry("squad", "a");
            assertThat(template.getMetadata().getAnnotations()).containsEntry("note", "b");
            assertThat(template.getSpec().getPriorityClassName()).isEqualTo("high");
            assertThat(template.getSpec().getAffinity().getPodAntiAffinity()).isNotNull();
            assertThat(container(template).getImage()).isEqualTo("perigee-" + part + "@" + digest);
        }
    }

    @Test
    @DisplayName(
            "DEP-07, DEP-09: brings what the Prometheus operator reads, with the alerts as they are")
    void isMonitored() throws IOException {
        var values = new HashMap<>(LEAST);
        values.put("monitoring.podMonitors.enabled", "true");
        values.put("monitoring.podMonitors.labels.release", "prometheus");
        values.put("monitoring.rules.enabled", "true");
        values.put("monitoring.rules.runbooks", "https://wiki.example.org/perigee/runbooks");
        values.put("monitoring.fleet", "staging");
        values.put("admin.metricsOpen", "false");
        var foreign = Manifests.render(values).foreign();

        assertThat(foreign)
                .extracting(Manifests::kindOf)
                .containsExactlyInAnyOrder(
                        "monitoring.coreos.com/v1/PodMonitor",
                        "monitoring.coreos.com/v1/PodMonitor",
                        "monitoring.coreos.com/v1/PrometheusRule");
        var monitor = foreign.getFirst();
        assertThat(monitor.at("/metadata/labels/release").asString()).isEqualTo("prometheus");
        var endpoint = monitor.at("/spec/podMetricsEndpoints/0");
        assertThat(endpoint.at("/authorization/credentials/name").asString())
                .isEqualTo("the-admin");
        assertThat(endpoint.at("/relabelings").toString())
                .contains("perigee-gateway", "\"fleet\"", "staging");
        var rules = foreign.getLast();
        assertThat(rules.at("/spec/groups/0/rules").size())
                .isEqualTo(MonitoringRules.alerts().size())
                .isPositive();
        assertThat(MonitoringRules.list(rules.at("/spec/groups/0/rules")))
                .allSatisfy(
                        rule ->
                                assertThat(rule.at("/annotations/runbook_url").asString())
                                        .startsWith("https://wiki.example.org/perigee/runbooks#"));
        assertThat(Manifests.CHART.resolve("files/alerts.yaml"))
                .as("a copy, since a chart has only what is below it")
                .hasSameTextualContentAs(
                        Checkout.root().resolve("infra/dashboards/prometheus/alerts.yaml"));
    }

    @Test
    @DisplayName("keeps secrets in files that are mounted, and gives no variables of services")
    void keepsSecrets() {
        var manifests = Manifests.render(everything());
        for (var template : templates(manifests)) {
            PodSpec pod = template.getSpec();
            assertThat(pod.getEnableServiceLinks()).isFalse();
            assertThat(pod.getAutomountServiceAccountToken()).isFalse();
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            Container container = container(template);
            assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
            var mounts = container.getVolumeMounts().stream().map(VolumeMount::getMountPath);
            var paths = mounts.toList();
            assertThat(container.getEnv())
                    .filteredOn(variable -> String.valueOf(variable.getValue()).startsWith("/etc/"))
                    .allMatch(
                            variable ->
                                    paths.stream()
                                            .anyMatch(
                                                    path ->
                                                            variable.getValue()
                                                                    .startsWith(path + "/")));
            assertThat(pod.getVolumes())
                    .extracting(volume -> volume.getName())
                    .containsAll(
                            container.getVolumeMounts().stream()
                                    .map(VolumeMount::getName)
                                    .filter(name -> !name.equals("cache"))
                                    .toList());
        }
    }

    @Test
    @DisplayName("TEN-13: restricts a worker's container as the compose file does")
    void restrictsAsComposeDoes() {
        var service = Compose.read().at("/services/worker-1");
        var pod = worker(Manifests.render(LEAST)).getSpec().getTemplate().getSpec();
        var container = pod.getContainers().getFirst().getSecurityContext();

        assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(OciContainer.USER);
        assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("Localhost");
        assertThat(pod.getSecurityContext().getSeccompProfile().getLocalhostProfile())
                .isEqualTo("perigee-worker.json");
        assertThat(pod.getSecurityContext().getAppArmorProfile().getType()).isEqualTo("Localhost");
        assertThat(pod.getSecurityContext().getAppArmorProfile().getLocalhostProfile())
                .isEqualTo(AppArmorTest.PROFILE);
        assertThat(container.getSeccompProfile()).isNull();
        assertThat(container.getAppArmorProfile()).isNull();
        assertThat(container.getAllowPrivilegeEscalation()).isFalse();
        assertThat(container.getPrivileged()).isNull();
        assertThat(container.getReadOnlyRootFilesystem())
                .isEqualTo(service.path("read_only").asBoolean())
                .isTrue();
        assertThat(container.getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(container.getCapabilities().getAdd()).isEmpty();
        assertThat(container.getProcMount()).isEqualTo("Unmasked");
        assertThat(pod.getHostUsers()).isFalse();
        assertThat(pod.getHostNetwork()).isNull();
        assertThat(pod.getHostPID()).isNull();
        assertThat(MonitoringRules.list(service.path("security_opt")))
                .extracting(JsonNode::asString)
                .containsExactlyInAnyOrder(
                        "seccomp=images/worker/seccomp.json",
                        "no-new-privileges=true",
                        "systempaths=unconfined",
                        "apparmor=" + AppArmorTest.PROFILE);
        assertThat(service.has("privileged") || service.has("cap_add")).isFalse();
    }

    @Test
    @DisplayName("TEN-13: restricts all containers, and is unconfined nowhere, whatever is set")
    void restrictsAll() {
        for (var values : List.of(LEAST, everything())) {
            var manifests = Manifests.render(values);
            assertThat(manifests.all().toString()).doesNotContainIgnoringCase("unconfined");
            for (var template : templates(manifests)) {
                var pod = template.getSpec();
                assertThat(pod.getInitContainers()).isEmpty();
                assertThat(pod.getContainers()).hasSize(1);
                var container = pod.getContainers().getFirst();
                var name = container.getName();
                assertThat(pod.getSecurityContext().getSeccompProfile().getType())
                        .as(name)
                        .isEqualTo(name.equals("worker") ? "Localhost" : "RuntimeDefault");
                var context = container.getSecurityContext();
                assertThat(context.getAllowPrivilegeEscalation()).as(name).isFalse();
                assertThat(context.getReadOnlyRootFilesystem()).as(name).isTrue();
                assertThat(context.getCapabilities().getDrop()).as(name).containsExactly("ALL");
                assertThat(context.getCapabilities().getAdd()).as(name).isEmpty();
            }
        }
    }

    @Test
    @DisplayName("TEN-13: names no AppArmor profile for nodes that have no AppArmor")
    void isForNodesWithoutAppArmor() {
        var values = new HashMap<>(LEAST);
        values.put("worker.jail.appArmorProfile", "None");
        var pod = worker(Manifests.render(values)).getSpec().getTemplate().getSpec();

        assertThat(pod.getSecurityContext().getAppArmorProfile()).isNull();
    }

    @Test
    @DisplayName("gives a worker time to drain, and lets gateways find it meanwhile")
    void drains() throws IOException {
        var manifests = Manifests.render(LEAST);
        var worker = worker(manifests);
        var environment = settings("worker", worker.getSpec().getTemplate());
        var settings =
                PartEnvironment.read(
                        "worker", environment, Files.writeString(directory.resolve("secret"), "s"));
        var grace = worker.getSpec().getTemplate().getSpec().getTerminationGracePeriodSeconds();
        var drain = settings.value(WorkerSettings.DRAIN_TIMEOUT).toSeconds();
        var end = settings.value(InstanceSettings.TERMINATION_GRACE).multipliedBy(2).toSeconds();

        assertThat(grace).isGreaterThan(drain + end);
        var service = manifests.one(Service.class, worker.getSpec().getServiceName());
        assertThat(service.getSpec().getPublishNotReadyAddresses()).isTrue();
        assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
        assertThat(service.getSpec().getPorts().getFirst().getName()).isEqualTo("link");
    }

    @Test
    @DisplayName("selects its own pods everywhere")
    void selects() {
        var manifests = Manifests.render(LEAST);
        var gateway = gateway(manifests);
        var worker = worker(manifests);
        for (var part :
                Map.of(
                                "gateway",
                                gateway.getSpec().getTemplate(),
                                "worker",
                                worker.getSpec().getTemplate())
                        .entrySet()) {
            var labels = part.getValue().getMetadata().getLabels();
            var name = "perigee-" + part.getKey();
            assertThat(labels)
                    .containsAllEntriesOf(
                            manifests
                                    .one(PodDisruptionBudget.class, name)
                                    .getSpec()
                                    .getSelector()
                                    .getMatchLabels())
                    .containsAllEntriesOf(
                            manifests
                                    .one(NetworkPolicy.class, name)
                                    .getSpec()
                                    .getPodSelector()
                                    .getMatchLabels());
        }
        assertThat(gateway.getSpec().getSelector().getMatchLabels())
                .isNotEqualTo(worker.getSpec().getSelector().getMatchLabels());
        assertThat(worker.getSpec().getTemplate().getMetadata().getLabels())
                .containsAllEntriesOf(
                        manifests.one(Service.class, "perigee-worker").getSpec().getSelector());
        var ingress = manifests.one(NetworkPolicy.class, "perigee-worker").getSpec().getIngress();
        assertThat(ingress).hasSize(1);
        assertThat(gateway.getSpec().getTemplate().getMetadata().getLabels())
                .containsAllEntriesOf(
                        ingress.getFirst().getFrom().getFirst().getPodSelector().getMatchLabels());
    }

    /** Of gateway, worker, and the job that makes topics. */
    private static List<PodTemplateSpec> templates(Manifests manifests) {
        return List.of(
                gateway(manifests).getSpec().getTemplate(),
                worker(manifests).getSpec().getTemplate(),
                manifests.one(Job.class, "perigee-topics-1").getSpec().getTemplate());
    }

    private static Deployment gateway(Manifests manifests) {
        return manifests.one(Deployment.class, "perigee-gateway");
    }

    private static StatefulSet worker(Manifests manifests) {
        return manifests.one(StatefulSet.class, "perigee-worker");
    }

    private static Container container(PodTemplateSpec template) {
        return template.getSpec().getContainers().getFirst();
    }
}
