package dev.perigee.testing.gateway;

import static dev.perigee.testing.FaultTime.pass;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.gateway.HandMadeFleet.Calls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The worker's result comes after the gateway has given up waiting for it. */
@DisplayName("A request that a gateway answered itself")
@Execution(ExecutionMode.CONCURRENT)
final class OneAnswerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Map<String, String> IMPATIENT =
            Map.of("request.silence-margin", "100ms", "group.session-timeout", "6s");
    private static final Map<String, String> LATE =
            Map.of("request.silence-margin", "6s", "group.session-timeout", "6s");

    /** Of a call that a worker has long before. */
    private static final long TIMEOUT_MS = 4_000;

    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation = Installation.of("echo", "node", List.of());
    @AutoClose private GatewayUnderTest test;

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
    }

    @Test
    @DisplayName("gets no second answer when the worker's comes after the commit")
    void whenTheResultIsLate() throws Exception {
        try (var _ = test.start("a", IMPATIENT)) {
            var request = timedOut();
            assertOneAnswer(request);
        }
    }

    @Test
    @DisplayName("gets no second answer from the next owner either")
    void whenTheNextOwnerHearsTheResult() throws Exception {
        String request;
        try (var _ = test.start("a", IMPATIENT)) {
            request = timedOut();
        }
        try (var _ = test.start("b", IMPATIENT)) {
            assertOneAnswer(request);
        }
    }

    @Test
    @DisplayName("OWN-06: is the worker's, if it had one, though the deadline passed before")
    void whenTheNextOwnerIsLate() throws Exception {
        var request = leftOpen();
        test.fleet.answerAll();
        test.fleet.replays = new CountDownLatch(1);
        long before = test.fleet.session(test.partition(installation)).epoch();

        try (var _ = test.start("b", LATE)) {
            await().atMost(PATIENCE)
                    .until(() -> test.fleet.session(test.partition(installation)).epoch() > before);
            pass(Duration.ofSeconds(1)); // An alarm of the deadline's would ring in it.
            test.fleet.replays.countDown();
            assertThat(test.backend.answer(request).text("outcome")).isEqualTo("success");
            assertOneAnswer(request);
        }
    }

    @Test
    @DisplayName("OWN-06: is the next owner's, if the worker never says one")
    void whenTheWorkerNeverReplays() throws Exception {
        var request = leftOpen();
        try (var _ = test.start("b", LATE)) {
            assertThat(test.backend.answer(request).text("error/code")).isEqualTo("timeout");
            assertOneAnswer(request);
        }
    }

    /** A request at the worker whose deadline passes, and the margin, while nobody owns it. */
    private String leftOpen() throws InterruptedException {
        String request;
        try (var _ = test.start("a", LATE)) {
            test.backend.install(installation);
            test.fleet.calls = Calls.KEEP_SILENT;
            request =
                    test.backend.request(
                            installation, "echo", "{}", r -> r.put("timeout_ms", TIMEOUT_MS));
            await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == 1);
        }
        pass(Duration.ofSeconds(10));
        return request;
    }

    private String timedOut() {
        test.backend.install(installation);
        test.fleet.calls = Calls.KEEP_SILENT;
        var request =
                test.backend.request(
                        installation, "echo", "{}", r -> r.put("timeout_ms", TIMEOUT_MS));
        assertThat(test.backend.answer(request).text("error/code")).isEqualTo("timeout");
        assertThat(test.fleet.executed).hasSize(1);
        await().atMost(PATIENCE)
                .until(
                        () ->
                                test.committed(Topic.TOOL_REQUESTS, test.partition(installation))
                                        == 1);
        return request;
    }

    private void assertOneAnswer(String request) {
        test.fleet.answerAll();
        assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                .isEqualTo("success");
        await().atMost(PATIENCE)
                .until(
                        () ->
                                test.fleet
                                        .session(test.partition(installation))
                                        .unacknowledged()
                                        .isEmpty());
        assertThat(
                        test.records.matching(
                                received ->
                                        received.topic().equals(Topic.TOOL_RESULTS.suffix())
                                                && received.key().equals(request)))
                .hasSize(1);
    }
}
