package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.protocol.link.SessionNotice.Phase;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.gateway.HandMadeFleet.Calls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("A partition whose worker leaves")
final class LeavingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation = Installation.of("echo", "node", List.of());
    @AutoClose private GatewayUnderTest test;

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
    }

    @Test
    @DisplayName("is given up when its calls are done, and what came meanwhile is answered after")
    void waitsForItsCalls() throws Exception {
        try (var gateway = test.start("a")) {
            test.backend.install(installation);
            test.fleet.calls = Calls.KEEP_SILENT;
            var running = test.backend.request(installation, "echo", "{}");
            await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == 1);

            awaitAllServed(gateway);
            test.fleet.phase = Phase.STOPPING;
            await().atMost(PATIENCE)
                    .until(() -> test.fleet.releases.size() == GatewayUnderTest.PARTITIONS - 1);
            var late = test.backend.request(installation, "echo", "{}");
            assertThat(test.fleet.executed).hasSize(1);
            test.fleet.phase = Phase.SERVING;
            test.fleet.answerAll();

            assertThat(test.backend.answer(running).text("outcome")).isEqualTo("success");
            assertThat(test.backend.answer(late).text("outcome")).isEqualTo("success");
            assertThat(test.fleet.releases).doesNotHaveDuplicates();
            assertThat(test.fleet.applied).as("given again to the next session").hasSize(2);
        }
    }

    @Test
    @DisplayName("is given up with its calls when they take too long: each gets an answer")
    void doesNotWaitForEver() throws Exception {
        try (var gateway = test.start("a", Map.of("drain.call-wait", "500ms"))) {
            test.backend.install(installation);
            test.fleet.calls = Calls.KEEP_SILENT;
            var running = test.backend.request(installation, "echo", "{}");
            await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == 1);

            awaitAllServed(gateway);
            test.fleet.phase = Phase.STOPPING;
            await().atMost(PATIENCE)
                    .until(() -> test.fleet.releases.size() == GatewayUnderTest.PARTITIONS);
            test.fleet.phase = Phase.SERVING;

            assertThat(test.backend.answer(running).text("error/code"))
                    .isEqualTo("outcome_unknown");
        }
    }

    @Test
    @DisplayName("goes only when the group knows what was answered, so the next owner does, too")
    void isNotedFirst() throws Exception {
        var notNoted = new CopyOnWriteArrayList<String>();
        var answered = new AtomicLong();
        test.fleet.beforeEnd =
                partition -> {
                    if (partition == test.partition(installation)
                            && test.committed(Topic.TOOL_REQUESTS, partition) < answered.get()) {
                        notNoted.add("after " + answered.get() + " answers");
                    }
                };
        test.backend.configure(installation, "mcp_installation_created");
        for (boolean inTime : new boolean[] {true, false}) {
            leaveThrice(inTime, answered);
        }
        assertThat(notNoted).isEmpty();
    }

    /** With a call that is answered while the session waits for it, or when it does no more. */
    private void leaveThrice(boolean inTime, AtomicLong answered) throws Exception {
        var wait = inTime ? "1h" : "500ms";
        try (var gateway = test.start("waits-" + wait, Map.of("drain.call-wait", wait))) {
            for (int time = 0; time < 3; time++) {
                test.fleet.calls = Calls.KEEP_SILENT;
                int sent = test.fleet.executed.size();
                var running = test.backend.request(installation, "echo", "{}");
                await().atMost(PATIENCE).until(() -> test.fleet.executed.size() > sent);
                answered.incrementAndGet();
                int releases = test.fleet.releases.size();
                awaitAllServed(gateway);
                test.fleet.phase = Phase.STOPPING;
                await().atMost(PATIENCE).until(() -> test.fleet.releases.size() > releases);
                if (inTime) {
                    test.fleet.answerAll();
                }
                assertThat(test.backend.answer(running).text("outcome"))
                        .isEqualTo(inTime ? "success" : "failed");
                await().atMost(PATIENCE)
                        .until(
                                () ->
                                        test.fleet.releases.size()
                                                == releases + GatewayUnderTest.PARTITIONS);
                test.fleet.phase = Phase.SERVING;
                test.fleet.calls = Calls.ANSWER;
                assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                        .isEqualTo("success");
                answered.incrementAndGet();
            }
        }
    }

    @Test
    @DisplayName("stays and is served where there is no other worker, which the worker is told")
    void staysWhereThereIsNoOther() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            test.fleet.phase = Phase.DRAINING;

            await().atMost(PATIENCE).until(() -> test.fleet.stays.size() > 2);

            assertThat(test.fleet.releases).isEmpty();
            assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                    .isEqualTo("success");
        }
    }

    /** One that is not served yet is not released either. */
    private static void awaitAllServed(Gateway gateway) {
        await().atMost(PATIENCE)
                .until(
                        () ->
                                gateway.metrics()
                                                .get("perigee.gateway.partitions")
                                                .tag("state", "serving")
                                                .gauge()
                                                .value()
                                        == GatewayUnderTest.PARTITIONS);
    }
}
