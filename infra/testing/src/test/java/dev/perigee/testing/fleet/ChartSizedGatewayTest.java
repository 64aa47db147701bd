package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.worker.mcp.HttpFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The gateway's heap is that of the chart, 56 % of 1280 MiB, and so are the partitions. */
@Tag("long")
@DisplayName("A gateway as the chart sizes it")
final class ChartSizedGatewayTest {
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final int HEAP_MIB = 716;
    private static final int USERS = 60;
    private static final int CALLS = 8;
    private static final String ARGUMENTS =
            "{\"ms\":20000,\"x\":\"" + "x".repeat((1 << 20) - 200) + "\"}";

    private HttpFixture server;
    private FleetUnderTest fleet;

    @BeforeEach
    void start() throws Exception {
        server = HttpFixture.start();
        fleet =
                FleetUnderTest.named("open-arguments")
                        .partitions(64)
                        .heap("gateway", HEAP_MIB)
                        .heap("worker", 3 * 1024)
                        .start();
    }

    @AfterEach
    void stop() {
        fleet.close();
        server.close();
    }

    @Test
    @DisplayName(
            "OWN-12: answers 480 calls of 1 MiB that wait for it, some with overloaded, and stays")
    void staysAlive() {
        var users =
                fleet.backend()
                        .install(
                                Stream.generate(() -> Installation.elsewhere("http", server.url()))
                                        .limit(USERS)
                                        .toList());
        fleet.part("gateway-1").terminate();
        var ids = new ArrayList<String>();
        for (var user : users) {
            ids.addAll(
                    fleet.backend()
                            .flood(
                                    user,
                                    "sleep",
                                    ARGUMENTS,
                                    CALLS,
                                    request -> request.put("timeout_ms", 120_000)));
        }
        var gateway = fleet.startGateway(1);

        var missing =
                fleet.records()
                        .awaitEach(
                                Topic.TOOL_RESULTS, one -> one.text("request_id"), ids, PATIENCE);

        assertThat(gateway.output()).doesNotContain("OutOfMemoryError");
        assertThat(gateway.alive()).isTrue();
        assertThat(missing).isEmpty();
        var answers =
                fleet.records().on(Topic.TOOL_RESULTS).stream()
                        .filter(answer -> ids.contains(answer.text("request_id")))
                        .toList();
        assertThat(answers).hasSize(USERS * CALLS);
        var failed = answers.stream().filter(answer -> !isSuccess(answer)).toList();
        assertThat(failed.stream().filter(answer -> !isOverloaded(answer))).isEmpty();
        assertThat(answers.size() - failed.size()).isGreaterThan(USERS);
        var again =
                fleet.backend().call(users.getFirst(), "sleep", ARGUMENTS.replace("20000", "1"));
        assertThat(isSuccess(again)).isTrue();
        assertThat(gateway.alive()).isTrue();
    }

    private static boolean isSuccess(Received answer) {
        return answer.text("outcome").equals("success");
    }

    private static boolean isOverloaded(Received answer) {
        return answer.text("error/code").equals("overloaded");
    }
}
