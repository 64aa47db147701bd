package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A fleet that is calm")
final class SteadyStateTest {
    private static final Map<String, Long> ANSWERED = Map.of("p", 7L);
    private static final Map<String, Set<Long>> LIVE = Map.of("p", Set.of(7L));
    private static final Map<String, String> ONLINE = Map.of("p", "online");

    private static List<String> violations(
            Map<String, Set<Long>> live, Map<String, String> statuses, Map<String, Double> held) {
        return new SteadyState(ANSWERED, live, statuses, held).violations();
    }

    @Test
    @DisplayName("is well with one process for each server, online, and nothing held")
    void well() {
        assertThat(violations(LIVE, ONLINE, Map.of("m", 0.0))).isEmpty();
    }

    @Test
    @DisplayName("has no twin, and no server without a process")
    void processes() {
        assertThat(violations(Map.of("p", Set.of(7L, 8L)), ONLINE, Map.of()))
                .singleElement()
                .asString()
                .contains("p answers as 7", "8");
        assertThat(violations(Map.of(), ONLINE, Map.of())).hasSize(1);
    }

    @Test
    @DisplayName("has no process of what was never installed")
    void orphans() {
        assertThat(violations(Map.of("p", Set.of(7L), "q", Set.of(9L)), ONLINE, Map.of()))
                .containsExactly("orphans of q: [9]");
    }

    @Test
    @DisplayName("has the status of what answers")
    void statuses() {
        assertThat(violations(LIVE, Map.of("p", "connecting"), Map.of()))
                .containsExactly("p answers, its status is connecting");
        assertThat(violations(LIVE, Map.of(), Map.of()))
                .containsExactly("p answers, its status is none");
    }

    @Test
    @DisplayName("holds nothing, as its metrics say")
    void held() {
        var page =
                """
                # TYPE perigee_worker_journal_entries gauge
                perigee_worker_journal_entries 3.0
                perigee_worker_journal_entries_of_others 4.0
                perigee_worker_sessions{attached="true"} 5.0
                perigee_worker_sessions{attached="false"} 0.0
                perigee_gateway_records_open{topic="commands"} 1.0
                """;
        assertThat(violations(LIVE, ONLINE, Held.in(page)))
                .containsExactly(
                        "held: perigee_gateway_records_open{topic=\"commands\"} 1.0",
                        "held: perigee_worker_journal_entries 3.0");
    }
}
