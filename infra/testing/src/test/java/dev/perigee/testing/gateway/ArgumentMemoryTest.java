package dev.perigee.testing.gateway;

import static dev.perigee.testing.gateway.GatewayUnderTest.serving;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Received;
import dev.perigee.testing.gateway.HandMadeFleet.Calls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls of 200 KiB, of which a gateway with little memory takes three, or four of newcomers. */
@DisplayName("A gateway with little memory for arguments")
final class ArgumentMemoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Map<String, String> LITTLE =
            Map.of(
                    "memory.open-arguments",
                    "1MiB",
                    "group.session-timeout",
                    "6s",
                    "group.heartbeat-interval",
                    "300ms");
    private static final String MUCH = arguments(200);
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    @AutoClose private GatewayUnderTest test;

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
    }

    @Test
    @DisplayName(
            "OWN-12: answers overloaded what it has no room for, and has all of it back afterwards")
    void refuses() throws Exception {
        try (var gateway = test.start("a", LITTLE)) {
            var users = install(4);
            test.fleet.calls = Calls.KEEP_SILENT;
            var taken = new ArrayList<String>();
            taken.add(accepted(users.get(0), MUCH));
            taken.add(accepted(users.get(0), MUCH));
            taken.add(accepted(users.get(1), MUCH));
            assertOverloaded(test.backend.call(users.get(1), "echo", MUCH));
            taken.add(accepted(users.get(2), MUCH)); // It has nothing open.
            assertOverloaded(test.backend.call(users.get(3), "echo", MUCH));
            taken.add(accepted(users.get(3), "{}"));
            assertThat(used(gateway)).isBetween(800.0 * 1024, 1024.0 * 1024);

            test.fleet.answerAll();

            assertSuccess(taken);
            assertThat(used(gateway)).isZero();
            assertThat(test.backend.call(users.get(3), "echo", arguments(900)).text("outcome"))
                    .isEqualTo("success");
            assertThat(test.backend.call(users.get(3), "echo", arguments(1000)).text("error/code"))
                    .isEqualTo("too_large");
            assertThat(used(gateway)).isZero();
        }
    }

    @Test
    @DisplayName("has the room of a partition's calls until it loses the partition")
    void losesPartitions() throws Exception {
        try (var a = test.start("a", LITTLE)) {
            var users = install(4);
            test.fleet.calls = Calls.KEEP_SILENT;
            var taken = users.stream().map(user -> accepted(user, MUCH)).toList();
            double all = used(a);
            try (var b = test.start("b", LITTLE)) {
                await().atMost(PATIENCE).until(() -> serving(a) == 2 && serving(b) == 2);
                await().atMost(PATIENCE).until(() -> used(a) + used(b) == all);
                assertThat(used(b)).isPositive();
            }
            await().atMost(PATIENCE).until(() -> used(a) == all);

            test.fleet.answerAll();

            assertSuccess(taken);
            assertThat(test.fleet.executed).hasSize(4);
            assertThat(used(a)).isZero();
            assertThat(test.backend.call(users.getFirst(), "echo", arguments(900)).text("outcome"))
                    .isEqualTo("success");
        }
    }

    @Test
    @DisplayName("does not refuse what a worker has, and keeps no more of it than it has room for")
    void takesOver() throws Exception {
        var taken = acceptedElsewhere();
        try (var gateway = test.start("b", LITTLE)) {
            await().atMost(PATIENCE).until(() -> used(gateway) > 800 * 1024);
            assertThat(used(gateway)).isLessThanOrEqualTo(1024.0 * 1024);

            test.fleet.answerAll();

            assertSuccess(taken);
            assertThat(test.fleet.executed).hasSize(8);
            assertThat(used(gateway)).isZero();
        }
    }

    @Test
    @DisplayName("says of what a lost worker had that it may have run, also without its arguments")
    void losesTheWorker() throws Exception {
        var taken = acceptedElsewhere();
        try (var gateway = test.start("b", LITTLE)) {
            await().atMost(PATIENCE).until(() -> used(gateway) > 800 * 1024);
            await().atMost(PATIENCE).until(() -> serving(gateway) == GatewayUnderTest.PARTITIONS);
            test.fleet.calls = Calls.ANSWER;
            test.fleet.restart();

            assertThat(test.backend.answers(taken))
                    .allMatch(answer -> answer.text("error/code").equals("outcome_unknown"));
            assertThat(used(gateway)).isZero();
        }
    }

    /** Eight, by a gateway with more memory, which has ended. */
    private List<String> acceptedElsewhere() throws Exception {
        try (var _ = test.start("a")) {
            var users = install(4);
            test.fleet.calls = Calls.KEEP_SILENT;
            return Stream.concat(users.stream(), users.stream())
                    .map(user -> accepted(user, MUCH))
                    .toList();
        }
    }

    /** Users whose partitions are each the next. */
    private List<Installation> install(int users) {
        return test.backend.install(
                IntStream.range(0, users)
                        .mapToObj(number -> of(number % GatewayUnderTest.PARTITIONS))
                        .toList());
    }

    private Installation of(int partition) {
        return Stream.generate(() -> Installation.of("echo", "node", List.of()))
                .filter(each -> test.partition(each) == partition)
                .findFirst()
                .orElseThrow();
    }

    private String accepted(Installation user, String arguments) {
        int before = test.fleet.executed.size();
        var id = test.backend.request(user, "echo", arguments);
        await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == before + 1);
        return id;
    }

    private static void assertOverloaded(Received answer) {
        assertThat(answer.text("error/code")).isEqualTo("overloaded");
        assertThat(answer.text("error/retryable")).isEqualTo("true");
        assertThat(answer.text("error/message")).contains("memory.open-arguments");
    }

    private void assertSuccess(List<String> requests) {
        for (var id : requests) {
            assertThat(test.backend.answer(id).text("outcome")).isEqualTo("success");
            assertThat(
                            test.records.matching(
                                    received ->
                                            received.topic().equals(Topic.TOOL_RESULTS.suffix())
                                                    && received.key().equals(id)))
                    .hasSize(1);
        }
    }

    private static double used(Gateway gateway) {
        return gateway.metrics()
                .get("perigee.gateway.memory.used")
                .tag("what", "open-arguments")
                .gauge()
                .value();
    }

    private static String arguments(int kib) {
        return "{\"x\":\"" + "x".repeat(kib << 10) + "\"}";
    }
}
