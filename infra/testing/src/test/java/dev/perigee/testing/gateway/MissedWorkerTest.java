package dev.perigee.testing.gateway;

import static dev.perigee.testing.FaultTime.pass;
import static dev.perigee.testing.gateway.GatewayUnderTest.serving;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.testing.fleet.Installation;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two gateways with default settings in a real group, and a worker that they hear to order. */
@DisplayName("Partitions whose worker")
final class MissedWorkerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PROMISED = Duration.ofSeconds(10);
    private static final int HALF = GatewayUnderTest.PARTITIONS / 2;
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    @Test
    @DisplayName(
            "OWN-16: one gateway does not hear are served by the other, and come back when the link"
                    + " has held")
    void byOne() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var a = test.start("a");
                var b = test.start("b")) {
            hostAll(test, a, b);

            test.fleet.deaf.add("a");
            long begin = System.nanoTime();
            await().atMost(PROMISED)
                    .until(() -> serving(a) == 0 && serving(b) == GatewayUnderTest.PARTITIONS);
            System.out.printf(
                    "Served by another after %d ms%n", (System.nanoTime() - begin) / 1_000_000);

            test.fleet.deaf.remove("a");
            await().atMost(PATIENCE).until(() -> serving(a) == HALF && serving(b) == HALF);
        }
    }

    @Tag("long")
    @Test
    @DisplayName("OWN-16: no gateway hears stay where they are, and when it is back as well")
    void byAll() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var a = test.start("a");
                var b = test.start("b")) {
            hostAll(test, a, b);
            double before = claims(a) + claims(b);

            test.fleet.deaf.add("a");
            test.fleet.deaf.add("b");
            pass(PROMISED);
            test.fleet.deaf.remove("b");
            pass(Duration.ofSeconds(5));
            test.fleet.deaf.remove("a");
            pass(Duration.ofSeconds(40));

            assertThat(serving(a)).isEqualTo(HALF);
            assertThat(serving(b)).isEqualTo(HALF);
            assertThat(claims(a) + claims(b)).isEqualTo(before);
        }
    }

    /** Each partition has its host, and each gateway half of them. */
    private static void hostAll(GatewayUnderTest test, Gateway a, Gateway b) {
        test.backend.install(
                IntStream.range(0, GatewayUnderTest.PARTITIONS)
                        .mapToObj(partition -> of(test, partition))
                        .toList());
        await().atMost(PATIENCE).until(() -> serving(a) == HALF && serving(b) == HALF);
    }

    private static Installation of(GatewayUnderTest test, int partition) {
        return Stream.generate(() -> Installation.of("echo", "node", List.of()))
                .filter(each -> test.partition(each) == partition)
                .findFirst()
                .orElseThrow();
    }

    private static double claims(Gateway gateway) {
        return gateway.metrics().get("perigee.gateway.restore").timer().count();
    }
}
