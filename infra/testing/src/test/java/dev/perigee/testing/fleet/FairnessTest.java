package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** With the limits that a gateway has by itself. */
final class FairnessTest {
    private static final int FLOOD = 10_000;
    private static final int OTHERS = 20;
    private static final int CONCURRENCY = 64;

    @Test
    @DisplayName(
            "10,000 calls of one user neither hold up another's on the same partition nor get lost")
    void flood() throws Exception {
        try (var fleet = FleetUnderTest.named("fairness").partitions(1).start()) {
            var backend = fleet.backend();
            var flooding = backend.install(Installation.fixture());
            var other = backend.install(Installation.fixture());

            var flood =
                    backend.flood(
                            flooding,
                            "sleep",
                            "{\"ms\":600}",
                            FLOOD,
                            request -> request.put("timeout_ms", 120_000));
            var others = backend.flood(other, "echo", "{\"message\":\"hi\"}", OTHERS);
            backend.answers(others);

            assertThat(
                            fleet.records()
                                    .awaitEach(
                                            Topic.TOOL_RESULTS,
                                            result -> result.text("request_id"),
                                            flood,
                                            Duration.ofSeconds(60)))
                    .as("never answered")
                    .isEmpty();
            var results = fleet.records().on(Topic.TOOL_RESULTS);
            var ofFlood = withIds(results, new HashSet<>(flood));
            assertThat(ofFlood).as("one answer each").hasSize(FLOOD);
            var outcomes = new TreeMap<String, Integer>();
            ofFlood.forEach(answer -> outcomes.merge(outcome(answer), 1, Integer::sum));
            assertThat(outcomes).containsOnlyKeys("success", "overloaded");
            assertThat(outcomes.get("success")).as("of %s", outcomes).isBetween(1_000, 5_000);
            assertThat(withIds(results, Set.copyOf(others)))
                    .allMatch(answer -> outcome(answer).equals("success"));

            int last =
                    others.stream()
                            .mapToInt(id -> results.indexOf(backend.answer(id)))
                            .max()
                            .orElse(0);
            assertThat(successes(ofFlood, results.subList(0, last)))
                    .as(
                            "of %s the flood's that had run when the other user's were answered",
                            outcomes)
                    .isLessThan(outcomes.getOrDefault("success", 0) - CONCURRENCY);
            assertThat(overloaded(ofFlood).text("error/message")).contains("limits.user.queue");
            assertThat(overloaded(ofFlood).text("error/retryable")).isEqualTo("true");
        }
    }

    private static List<Received> withIds(List<Received> results, Set<String> ids) {
        return results.stream().filter(one -> ids.contains(one.text("request_id"))).toList();
    }

    private static long successes(List<Received> ofFlood, List<Received> among) {
        var set = new HashSet<>(among);
        return ofFlood.stream()
                .filter(set::contains)
                .filter(one -> outcome(one).equals("success"))
                .count();
    }

    private static Received overloaded(List<Received> answers) {
        return answers.stream().filter(one -> outcome(one).equals("overloaded")).findAny().get();
    }

    private static String outcome(Received answer) {
        var code = answer.text("error/code");
        return code.isEmpty() ? answer.text("outcome") : code;
    }
}
