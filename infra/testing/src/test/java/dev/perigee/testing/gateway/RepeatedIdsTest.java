package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Received;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The worker here runs whatever it gets: what does not run twice was stopped by the gateway. */
@DisplayName("A request id that was answered a while ago")
final class RepeatedIdsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BATCH = 900;
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation = Installation.of("echo", "node", List.of());
    @AutoClose private GatewayUnderTest test;
    private int sent;

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
    }

    @Test
    @DisplayName("OWN-09: does not run again, also when 25,000 others came since")
    void runsOnceHoweverManyCame() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            var first = calls(1).getFirst();
            while (sent < 25_000) {
                calls(BATCH);
            }
            repeat(first);
            assertThat(runsOf(first)).isEqualTo(1);
            assertThat(answersTo(first)).hasSize(1);
        }
    }

    @Test
    @DisplayName("OWN-09: does not run again when the memory for ids is full: new ones are refused")
    void refusesWhatItCouldNotRemember() throws Exception {
        int room = 1024;
        var little = Map.of("request.memory-bytes", Integer.toString(28 * room));
        try (var _ = test.start("a", little)) {
            test.backend.install(installation);
            var first = calls(1).getFirst();
            calls(BATCH);
            var refused =
                    calls(BATCH).stream()
                            .flatMap(id -> answersTo(id).stream())
                            .filter(answer -> answer.text("outcome").equals("failed"))
                            .toList();
            assertThat(test.fleet.executed).hasSize(room);
            assertThat(refused)
                    .hasSize(sent - room)
                    .allMatch(answer -> answer.text("error/code").equals("overloaded"))
                    .allMatch(answer -> answer.text("error/message").contains("memory-bytes"));

            repeat(first);
            assertThat(runsOf(first)).isEqualTo(1);
        }
    }

    /** Answered calls. */
    private List<String> calls(int count) {
        var ids = test.backend.flood(installation, "echo", "{}", count);
        sent += count;
        var missing =
                test.records.awaitEach(
                        Topic.TOOL_RESULTS, result -> result.text("request_id"), ids, PATIENCE);
        assertThat(missing).isEmpty();
        return ids;
    }

    private void repeat(String id) {
        test.backend.request(installation, "echo", "{}", call -> call.put("request_id", id));
        sent++;
        await().atMost(PATIENCE)
                .until(
                        () ->
                                test.committed(Topic.TOOL_REQUESTS, test.partition(installation))
                                        == sent);
    }

    private long runsOf(String id) {
        return test.fleet.executed.stream()
                .filter(call -> call.request().requestId().equals(id))
                .count();
    }

    private List<Received> answersTo(String id) {
        return test.records.matching(
                received ->
                        received.topic().equals(Topic.TOOL_RESULTS.suffix())
                                && received.key().equals(id));
    }
}
