package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** In this order: the gateway that ends second has had all partitions, and still has most. */
@DisplayName("When a gateway ends")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
final class GatewayEndTest {

    private static final int INSTANCES = 4;
    private static final int CALLS = 10;

    private FleetUnderTest fleet;

    @BeforeAll
    void start() throws IOException {
        fleet = FleetUnderTest.named("gateway-end").gateways(2).start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @Order(1)
    @DisplayName(
            "RES-20: by kill -9 with calls in flight, each is answered, none runs twice, same pids")
    void killed(@TempDir Path folder) throws Exception {
        takeOver(folder, () -> fleet.part("gateway-1").kill());
        fleet.startGateway(1).awaitReady();
    }

    @Test
    @Order(2)
    @DisplayName("RES-22: by SIGTERM with calls in flight, the same holds")
    void terminated(@TempDir Path folder) throws Exception {
        takeOver(folder, () -> fleet.part("gateway-2").terminate());
    }

    private void takeOver(Path folder, Runnable end) throws Exception {
        var backend = fleet.backend();
        var servers =
                IntStream.range(0, INSTANCES)
                        .mapToObj(i -> backend.install(Installation.fixture()))
                        .toList();
        var pids = pids(backend, servers);
        var file = folder.resolve("count");
        var ids = new ArrayList<String>();
        for (int call = 0; call < CALLS; call++) {
            for (var server : servers) {
                var arguments =
                        "{\"file\":\"%s\",\"line\":\"%s-%d\",\"ms\":2000}"
                                .formatted(file, server.processId(), call);
                ids.add(backend.request(server, "counter", arguments));
            }
        }
        end.run();
        var late = servers.stream().map(s -> backend.request(s, "pid", "{}")).toList();

        assertThat(backend.answers(ids)).allMatch(r -> r.text("outcome").equals("success"));
        assertThat(backend.answers(late)).allMatch(r -> r.text("outcome").equals("success"));
        assertThat(pids(backend, servers)).isEqualTo(pids);
        assertThat(Files.readAllLines(file)).hasSize(ids.size()).doesNotHaveDuplicates();
        for (var id : ids) {
            assertThat(fleet.records().matching(r -> r.text("request_id").equals(id)))
                    .extracting(r -> r.header("ce_id"))
                    .containsOnly(backend.answer(id).header("ce_id"));
        }
    }

    private static List<String> pids(Backend backend, List<Installation> servers) {
        return servers.stream().map(server -> backend.text(server, "pid", "{}")).toList();
    }
}
