package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Any broker's topic, taken away in one way or another from gateways that serve. */
@DisplayName("A topic that cannot be written")
@Execution(ExecutionMode.CONCURRENT)
final class UnusableTopicsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Within which a request is answered, as docs/guarantees.md promises. */
    private static final Duration SAID = Duration.ofSeconds(10);

    @TempDir private static Path data;
    private static EmbeddedBroker broker;

    private final Installation installation = Installation.of("echo", "node", List.of());

    @BeforeAll
    static void startBroker() throws Exception {
        var rights =
                Map.of(
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "allow.everyone.if.no.acl.found",
                        "true");
        broker = EmbeddedBroker.start(new HostPort("127.0.0.1", 0), data, rights);
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    /** How a topic becomes unusable. */
    enum Way {
        DELETED("does not exist") {
            @Override
            void take(GatewayUnderTest test, Topic topic) throws Exception {
                test.deleteTopic(topic.suffix());
            }

            @Override
            void give(GatewayUnderTest test, Topic topic) throws Exception {
                test.createTopics();
            }
        },
        NO_RIGHT("no right") {
            @Override
            void take(GatewayUnderTest test, Topic topic) throws Exception {
                test.deny(topic, AclOperation.WRITE);
            }

            @Override
            void give(GatewayUnderTest test, Topic topic) throws Exception {
                test.allow(topic);
            }
        };

        final String said;

        Way(String said) {
            this.said = said;
        }

        abstract void take(GatewayUnderTest test, Topic topic) throws Exception;

        abstract void give(GatewayUnderTest test, Topic topic) throws Exception;
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @SuppressWarnings("try") // The gateway leaves before the fleet does.
    @DisplayName("OWN-08 of statuses is said, holds up nobody and has them all once it is back")
    void ofStatuses(Way way) throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var leaving = test.start("a");
                var gateway = test.start("b")) {
            test.backend.install(installation);
            test.backend.status(installation, "online");

            way.take(test, Topic.STATUS);
            awaitSaid(gateway, test.names.of(Topic.STATUS), way.said);
            var others = IntStream.range(0, 3).mapToObj(_ -> installElsewhere(test)).toList();

            for (var other : others) {
                assertThat(call(test, other)).isEqualTo("success");
            }
            assertThat(call(test, installation)).isEqualTo("success");
            assertThat(test.backend.uninstall(installation).text("outcome")).isEqualTo("completed");
            leaving.close();
            for (var other : others) {
                assertThat(call(test, other)).isEqualTo("success");
            }

            way.give(test, Topic.STATUS);
            for (var other : others) {
                test.backend.status(other, "online");
            }
            await().atMost(PATIENCE)
                    .until(() -> !GatewayUnderTest.saysNotReady(gateway, "cannot be used"));
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("OWN-08 of logs costs nobody else anything, and what is lost is counted")
    void ofLogs(Way way) throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var gateway = test.start("a")) {
            test.backend.install(installation);
            way.take(test, Topic.REQUEST_LOGS);
            way.take(test, Topic.LIFECYCLE);
            for (int i = 0; i < 50; i++) {
                emit(
                        test,
                        EventType.REQUEST_LOGS,
                        i); // Some are on their way when it is found out.
            }
            assertThat(call(test, installation)).isEqualTo("success");
            awaitSaid(gateway, test.names.of(Topic.REQUEST_LOGS), way.said);
            awaitSaid(gateway, test.names.of(Topic.LIFECYCLE), way.said);
            for (int i = 0; i < 50; i++) {
                emit(test, EventType.REQUEST_LOGS, i);
                emit(test, EventType.CRASHED, i);
            }
            emit(test, EventType.LOGS, 51);
            test.records.await(Topic.LOGS, "the line", line -> line.text("n").equals("51"));
            assertThat(call(test, installation)).isEqualTo("success");
            await().atMost(PATIENCE)
                    .until(() -> dropped(gateway, test.names.of(Topic.REQUEST_LOGS)) >= 50);

            way.give(test, Topic.REQUEST_LOGS);
            way.give(test, Topic.LIFECYCLE);

            await().atMost(PATIENCE).until(() -> test.records.on(Topic.LIFECYCLE).size() == 50);
            assertThat(test.records.on(Topic.LIFECYCLE))
                    .extracting(event -> event.text("n"))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 50).mapToObj(Integer::toString).toList());
            assertThat(dropped(gateway, test.names.of(Topic.LIFECYCLE))).isZero();
            await().atMost(PATIENCE)
                    .until(() -> !GatewayUnderTest.saysNotReady(gateway, "cannot be used"));
            emit(test, EventType.REQUEST_LOGS, 52);
            test.records.await(Topic.REQUEST_LOGS, "it", line -> line.text("n").equals("52"));
            var session = test.fleet.session(test.partition(installation));
            await().atMost(PATIENCE).until(() -> session.unacknowledged().isEmpty());
        }
    }

    @Test
    @DisplayName("OWN-08 of answers is said, commands go on, and every call has its answer later")
    void ofAnswers() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var gateway = test.start("a")) {
            test.backend.install(installation);
            Way.NO_RIGHT.take(test, Topic.TOOL_RESULTS);
            awaitSaid(gateway, test.names.of(Topic.TOOL_RESULTS), Way.NO_RIGHT.said);
            var request = test.backend.request(installation, "echo", "{}");

            var other = install(test);
            test.backend.status(other, "online");
            await().atMost(PATIENCE).until(() -> !test.fleet.executed.isEmpty());
            assertThat(test.records.on(Topic.TOOL_RESULTS)).isEmpty();
            Way.NO_RIGHT.give(test, Topic.TOOL_RESULTS);

            assertThat(test.backend.answer(request).text("outcome")).isEqualTo("success");
        }
    }

    private static Installation install(GatewayUnderTest test) {
        return test.backend.install(Installation.of("echo", "node", List.of()));
    }

    /**
     * Its status in another partition than the first one's: a consumer that had read there keeps
     * its offset when the topic is made anew, and overlooks what has a lower one.
     */
    private Installation installElsewhere(GatewayUnderTest test) {
        return test.backend.install(
                Stream.generate(() -> Installation.of("echo", "node", List.of()))
                        .filter(
                                each ->
                                        test.processPartition(each)
                                                != test.processPartition(installation))
                        .findFirst()
                        .orElseThrow());
    }

    @ParameterizedTest
    @EnumSource(names = {"CALL_EVENTS", "SERVER_EVENTS", "CATALOG", "USAGE", "AUDIT"})
    @DisplayName("CAL-01, CAL-09, CAL-10: a gateway starts and serves without a topic that is new")
    void startsWithoutNewTopics(Topic topic) throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap())) {
            test.deleteTopic(topic.suffix());
            try (var gateway = test.start("a")) {
                test.backend.install(installation);
                assertThat(call(test, installation)).isEqualTo("success");
                assertThat(GatewayUnderTest.saysNotReady(gateway, test.names.of(topic))).isFalse();
            }
        }
    }

    private static String call(GatewayUnderTest test, Installation user) {
        return test.backend.call(user, "echo", "{}").text("outcome");
    }

    private void emit(GatewayUnderTest test, EventType type, int number) {
        var session = test.fleet.session(test.partition(installation));
        var processId = installation.processId();
        session.emit(
                processId,
                type,
                processId,
                RawJson.of("{\"n\":\"%d\"}".formatted(number)),
                null,
                null);
    }

    private static double dropped(Gateway gateway, String topic) {
        return gateway.metrics()
                .get("perigee.gateway.publish.dropped")
                .tag("topic", topic)
                .counter()
                .count();
    }

    private static Duration awaitSaid(Gateway gateway, String topic, String what) {
        long begin = System.nanoTime();
        await().atMost(SAID)
                .pollInterval(100, TimeUnit.MILLISECONDS)
                .until(
                        () ->
                                GatewayUnderTest.saysNotReady(gateway, topic)
                                        && GatewayUnderTest.saysNotReady(gateway, what));
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
