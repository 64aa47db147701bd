package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Checkout;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sums of what gateway and worker may take in their containers, in bytes: the bounds that the
 * images set, and the measured rest that docs/operations.md names.
 */
@DisplayName("DEP-05, DEP-10: The memory of a part's container")
final class PartMemoryTest {
    private static final long MIB = 1 << 20;

    /** The JVM of a health check beside its heap. */
    private static final long PROBE = 48 * MIB;

    /** Compilers, symbols, tables and what glibc keeps. */
    private static final long JVM = 96 * MIB;

    /** The largest buffer of a transfer that a thread keeps for the next. */
    private static final long KEPT = 64 << 10;

    private static final Map<String, String> LEAST =
            Map.of(
                    "kafka.bootstrapServers", "kafka-0.kafka:9092",
                    "link.secretName", "the-link",
                    "admin.secretName", "the-admin");

    @Test
    @DisplayName("holds all that a gateway of the compose file may take")
    void holdsGateways() throws IOException {
        var image = Image.of("gateway");
        for (var name : List.of("gateway-1", "gateway-2")) {
            var service = Compose.read().at("/services/" + name);
            long limit = limit(service);

            assertThat(image.heap(limit) + gatewayRest(image) + besideJvm(service))
                    .as(name)
                    .isLessThanOrEqualTo(limit);
            assertThat(image.heap(limit) / MIB)
                    .as("as IdleGatewayTest and OpenArgumentsTest have it")
                    .isEqualTo(716);
        }
    }

    @Test
    @DisplayName("holds all that a gateway of the chart may take")
    void holdsGatewaysOfTheChart() throws IOException {
        var image = Image.of("gateway");
        var pod =
                Manifests.render(LEAST)
                        .one(Deployment.class, "perigee-gateway")
                        .getSpec()
                        .getTemplate()
                        .getSpec();
        long limit = limit(pod.getContainers().getFirst());

        assertThat(image.heap(limit) + gatewayRest(image)).isLessThanOrEqualTo(limit);
        assertThat(limit).isEqualTo(limit(Compose.read().at("/services/gateway-1")));
    }

    @Test
    @DisplayName("has a sixth for what a worker takes beside its heap and its servers")
    void holdsWorkers() throws IOException {
        var image = Image.of("worker");
        for (var name : List.of("worker-1", "worker-2", "worker-3")) {
            var service = Compose.read().at("/services/" + name);
            long limit = limit(service);

            assertThat(workerRest(image, limit) + besideJvm(service))
                    .as(name + ": HostShareTest has a sixth kept from servers")
                    .isLessThanOrEqualTo(limit / 6);
        }
        var pod =
                Manifests.render(LEAST)
                        .one(StatefulSet.class, "perigee-worker")
                        .getSpec()
                        .getTemplate()
                        .getSpec();
        long limit = limit(pod.getContainers().getFirst());
        assertThat(workerRest(image, limit)).isLessThanOrEqualTo(limit / 6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gateway", "worker"})
    @DisplayName("is kept by no thread after a large read or write")
    void isGivenBack(String part) throws IOException {
        var image = Image.of(part);

        assertThat(image.number("-Djdk.nio.maxCachedBufferSize=")).isBetween(1L, KEPT);
        assertThat(image.file()).contains("MALLOC_ARENA_MAX=2");
        assertThat(Files.readString(Checkout.root().resolve("infra/packages/launcher")))
                .contains("-Djdk.nio.maxCachedBufferSize=" + KEPT);
    }

    /** Three producers write a request of 20 MiB each, readers what a socket holds, links. */
    private static long gatewayRest(Image image) {
        long transfers = 96 * MIB;
        long stacks = 24 * MIB;
        return image.bounds() + transfers + stacks + JVM;
    }

    private static long workerRest(Image image, long limit) {
        long transfers = 64 * MIB;
        long stacks = 32 * MIB;
        long collector = image.heap(limit) / 12;
        return image.bounds() + transfers + stacks + collector + JVM;
    }

    /** What counts toward the limit of a service and is not its part's: /tmp, the health check. */
    private static long besideJvm(JsonNode service) {
        long sum = PROBE;
        for (var mount : MonitoringRules.list(service.path("tmpfs"))) {
            sum += bytes(mount.asString().replaceFirst(".*size=", ""));
        }
        var heaps =
                MonitoringRules.list(service.at("/healthcheck/test")).stream()
                        .map(JsonNode::asString)
                        .filter(word -> word.startsWith("-Xmx"))
                        .toList();
        assertThat(heaps).hasSize(1);
        return sum + bytes(heaps.getFirst().substring("-Xmx".length()));
    }

    private static long limit(JsonNode service) {
        return bytes(service.path("mem_limit").asString());
    }

    private static long limit(Container container) {
        var resources = container.getResources();
        var limit = resources.getLimits().get("memory");
        assertThat(resources.getRequests().get("memory"))
                .as("what is more than was asked for is taken from others")
                .isEqualTo(limit);
        return Quantity.getAmountInBytes(limit).longValueExact();
    }

    /** Of a size such as 64m. */
    private static long bytes(String size) {
        int last = size.length() - 1;
        return switch (size.charAt(last)) {
            case 'g' -> Long.parseLong(size.substring(0, last)) << 30;
            case 'm' -> Long.parseLong(size.substring(0, last)) << 20;
            default -> Long.parseLong(size);
        };
    }

    /**
     * How an image starts its JVM.
     *
     * @param file its Dockerfile
     * @param command of its entry point
     */
    private record Image(String file, List<String> command) {
        private static final String ENTRYPOINT = "ENTRYPOINT ";

        static Image of(String part) throws IOException {
            var path = Checkout.root().resolve("infra/images/" + part + "/Dockerfile");
            var file = Files.readString(path);
            var line = file.lines().filter(it -> it.startsWith(ENTRYPOINT)).findFirst();
            var words =
                    new JsonMapper().readTree(line.orElseThrow().substring(ENTRYPOINT.length()));
            return new Image(
                    file, MonitoringRules.list(words).stream().map(JsonNode::asString).toList());
        }

        long heap(long limit) {
            return limit * number("-XX:MaxRAMPercentage=") / 100;
        }

        long bounds() {
            return number("-XX:MaxMetaspaceSize=")
                    + number("-XX:ReservedCodeCacheSize=")
                    + number("-XX:MaxDirectMemorySize=");
        }

        /** Of the one flag that begins so. */
        long number(String flag) {
            var found = command.stream().filter(word -> word.startsWith(flag)).toList();
            assertThat(found).as(flag).hasSize(1);
            return bytes(found.getFirst().substring(flag.length()));
        }
    }
}
