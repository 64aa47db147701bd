package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.gateway.inbound.ProgressCodec;
import dev.perigee.gateway.inbound.RequestProgress;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Received;
import dev.perigee.testing.gateway.HandMadeFleet.Calls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the next gateway learns from the group's offsets, when nobody else can tell it. */
@DisplayName("When a gateway is gone and the worker has forgotten")
@Execution(ExecutionMode.CONCURRENT)
final class LostOwnersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Map<String, String> FAST =
            Map.of("group.session-timeout", "6s", "request.silence-margin", "2s");

    /** Over soon, though not before it is sent where a thread stands still for a while. */
    private static final int BRIEF_MS = 8_000;

    /** Over before anybody is there. */
    private static final int PAST_MS = 2_000;

    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation = Installation.of("echo", "node", List.of());
    @AutoClose private GatewayUnderTest test;

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
    }

    @Test
    @DisplayName(
            "what may have run ends as unknown or, if harmless, runs again; what is done is done")
    void tellsThemApart() throws Exception {
        var done = new ArrayList<String>();
        String unknown;
        String harmless;
        try (var _ = test.start("a", FAST)) {
            test.backend.install(installation);
            test.fleet.calls = Calls.KEEP_SILENT;
            unknown = test.backend.request(installation, "buy", "{}");
            harmless = test.backend.request(installation, HandMadeFleet.LOOK, "{}");
            awaitExecuted(2);
            test.fleet.calls = Calls.ANSWER;
            for (int i = 0; i < 30; i++) {
                done.add(test.backend.request(installation, "buy", "{}"));
            }
            test.backend.answers(done);
            await().atMost(PATIENCE).until(() -> completed(2, 32));
        }
        test.fleet.restart();
        var late = test.backend.request(installation, "buy", "{}");

        try (var _ = test.start("b", FAST)) {
            assertThat(test.backend.answer(unknown).text("error/code"))
                    .isEqualTo("outcome_unknown");
            assertThat(test.backend.answer(harmless).text("outcome")).isEqualTo("success");
            assertThat(test.backend.answer(late).text("outcome")).isEqualTo("success");
            await().atMost(PATIENCE).until(() -> committed() == 33);
        }
        assertThat(runsOf(unknown)).isEqualTo(1);
        assertThat(runsOf(harmless)).isEqualTo(2);
        assertThat(done).allMatch(id -> runsOf(id) == 1 && answersTo(id) == 1);
        assertThat(List.of(unknown, harmless, late)).allMatch(id -> answersTo(id) == 1);
    }

    @Test
    @DisplayName("a call that waited for a worker surely did not run, and is sent")
    void sendsWhatWasNeverSent() throws Exception {
        test.fleet.away = true;
        String waiting;
        try (var gateway = test.start("a", FAST)) {
            test.backend.configure(installation, "mcp_installation_created");
            waiting = test.backend.request(installation, "buy", "{}");
            await().atMost(PATIENCE).until(() -> requestsRead(gateway) == 1);
        }
        test.fleet.away = false;
        try (var _ = test.start("b", FAST)) {
            assertThat(test.backend.answer(waiting).text("outcome")).isEqualTo("success");
        }
        assertThat(runsOf(waiting)).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a call that may have run twice does not run a third time, not even a harmless one")
    void runsAgainOnce() throws Exception {
        test.fleet.calls = Calls.KEEP_SILENT;
        String harmless;
        try (var _ = test.start("a", FAST)) {
            test.backend.install(installation);
            harmless = test.backend.request(installation, HandMadeFleet.LOOK, "{}");
            awaitExecuted(1);
        }
        test.fleet.restart();
        try (var _ = test.start("b", FAST)) {
            awaitExecuted(2);
        }
        test.fleet.restart();
        try (var _ = test.start("c", FAST)) {
            assertThat(test.backend.answer(harmless).text("error/code"))
                    .isEqualTo("outcome_unknown");
        }
        assertThat(runsOf(harmless)).isEqualTo(2);
    }

    @Test
    @DisplayName("the same holds when only the worker was lost, twice")
    void onlyTheWorker() throws Exception {
        test.fleet.calls = Calls.KEEP_SILENT;
        try (var _ = test.start("a", FAST)) {
            test.backend.install(installation);
            var harmless = test.backend.request(installation, HandMadeFleet.LOOK, "{}");
            var unknown = test.backend.request(installation, "buy", "{}");
            awaitExecuted(2);
            test.fleet.restart();
            assertThat(test.backend.answer(unknown).text("error/code"))
                    .isEqualTo("outcome_unknown");
            awaitExecuted(3);
            test.fleet.restart();
            assertThat(test.backend.answer(harmless).text("error/code"))
                    .isEqualTo("outcome_unknown");
            assertThat(runsOf(unknown)).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "a call that may have run and finds no worker ends as unknown, others as unavailable")
    void noWorkerComes() throws Exception {
        test.fleet.calls = Calls.KEEP_SILENT;
        try (var _ = test.start("a", FAST)) {
            test.backend.install(installation);
            var sent = buying(BRIEF_MS);
            var sentListing = listing(BRIEF_MS);
            awaitExecuted(2);
            test.fleet.away = true;
            test.fleet.restart();
            var waiting = buying(BRIEF_MS);
            var listing = listing(BRIEF_MS);
            assertThat(test.backend.answer(sent).text("error/code")).isEqualTo("outcome_unknown");
            assertThat(test.backend.answer(sentListing).text("error/code"))
                    .isEqualTo("worker_lost");
            assertThat(test.backend.answer(waiting).text("error/code")).isEqualTo("unavailable");
            assertThat(test.backend.answer(listing).text("error/code")).isEqualTo("unavailable");
        }
    }

    @Test
    @DisplayName("requests that nobody was there for are answered as expired when somebody is")
    void nobodyHome() throws Exception {
        try (var _ = test.start("a", FAST)) {
            test.backend.install(installation);
        }
        var requests = List.of(buying(PAST_MS), listing(PAST_MS));
        await().pollDelay(Duration.ofMillis(PAST_MS + 500)).until(() -> true);
        try (Gateway _ = test.start("b", FAST)) {
            assertThat(test.backend.answers(requests))
                    .allMatch(answer -> answer.text("error/code").equals("expired"));
        }
        assertThat(test.fleet.executed).isEmpty();
    }

    @Test
    @DisplayName("what a gateway answered itself is not answered by the next, nor by the worker")
    void keepsItsOwnAnswers() throws Exception {
        String slow;
        String timedOut;
        try (var _ = test.start("a", FAST)) {
            test.backend.install(installation);
            test.fleet.calls = Calls.KEEP_SILENT;
            slow = test.backend.request(installation, "buy", "{}");
            timedOut = buying(BRIEF_MS);
            assertThat(test.backend.answer(timedOut).text("error/code")).isEqualTo("timeout");
            await().atMost(PATIENCE).until(() -> completed(1, 2));
        }
        try (var _ = test.start("b", FAST)) {
            test.fleet.answerAll();
            assertThat(test.backend.answer(slow).text("outcome")).isEqualTo("success");
            await().atMost(PATIENCE).until(() -> committed() == 2);
        }
        assertThat(answersTo(timedOut)).isEqualTo(1);
    }

    private double requestsRead(Gateway gateway) {
        var read =
                gateway.metrics()
                        .find("perigee.gateway.records.in")
                        .tag("topic", test.names.of(Topic.TOOL_REQUESTS))
                        .counter();
        return read == null ? 0 : read.count();
    }

    private String buying(int timeoutMs) {
        return test.backend.request(installation, "buy", "{}", r -> r.put("timeout_ms", timeoutMs));
    }

    private String listing(int timeoutMs) {
        return test.backend.request(
                installation,
                "",
                "{}",
                r ->
                        r.put("method", "tools/list")
                                .put("timeout_ms", timeoutMs)
                                .without("tool_path"));
    }

    private void awaitExecuted(int calls) {
        await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == calls);
    }

    private long runsOf(String requestId) {
        return test.fleet.executed.stream()
                .filter(call -> call.request().requestId().equals(requestId))
                .count();
    }

    private long answersTo(String requestId) {
        Set<String> ids =
                test
                        .records
                        .matching(
                                received ->
                                        received.topic().equals(Topic.TOOL_RESULTS.suffix())
                                                && received.key().equals(requestId))
                        .stream()
                        .map((Received received) -> received.header("ce_id"))
                        .collect(Collectors.toSet());
        return ids.size();
    }

    private boolean completed(long from, long to) {
        for (long offset = from; offset < to; offset++) {
            if (offset >= committed() && !progress().completed().contains(offset)) {
                return false;
            }
        }
        return true;
    }

    private long committed() {
        return test.committed(Topic.TOOL_REQUESTS, test.partition(installation));
    }

    private RequestProgress progress() {
        return ProgressCodec.decode(
                test.metadata(Topic.TOOL_REQUESTS, test.partition(installation)),
                Math.max(0, committed()));
    }
}
