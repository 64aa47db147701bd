package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.link.Attach;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WorkerSilenceTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final Instant PAST = NOW.minusSeconds(60);
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private final WorkerSilence silence = new WorkerSilence(MARGIN);

    @Test
    void countsFromTheDeadline() {
        assertThat(silence.until(NOW)).isEqualTo(NOW.plus(MARGIN));
        attached(NOW);
        assertThat(silence.until(NOW.plusSeconds(5))).isEqualTo(NOW.plusSeconds(15));
    }

    @Test
    @DisplayName("OWN-06: counts from the attach when the deadline has passed")
    void countsFromTheAttach() {
        attached(NOW);
        assertThat(silence.until(PAST)).isEqualTo(NOW.plus(MARGIN));
    }

    @Test
    @DisplayName("OWN-06: counts from the last entry of the replay, and from no later one")
    void countsFromTheReplay() {
        attached(NOW, process("a", 5, 8), process("b", 0, 1));
        silence.received("a", 5, NOW.plusSeconds(8));
        assertThat(silence.until(PAST)).isEqualTo(NOW.plusSeconds(18));
        silence.received("a", 7, NOW.plusSeconds(16));
        silence.received("a", 8, NOW.plusSeconds(20));
        assertThat(silence.until(PAST)).isEqualTo(NOW.plusSeconds(26));
        assertThat(silence.isReplaying()).isTrue();

        silence.received("b", 0, NOW.plusSeconds(21));
        assertThat(silence.isReplaying()).isFalse();
        silence.received("b", 1, NOW.plusSeconds(25));
        assertThat(silence.until(PAST)).isEqualTo(NOW.plusSeconds(31));
    }

    @Test
    @DisplayName("OWN-06: does not await a replay that never comes")
    void isBounded() {
        attached(NOW, process("a", 0, 8));
        silence.received("b", 1, NOW.plusSeconds(5));
        silence.received("a", 8, NOW.plusSeconds(6));
        assertThat(silence.until(PAST)).isEqualTo(NOW.plus(MARGIN));
    }

    @Test
    void givesTheAttachAMargin() {
        assertThat(silence.untilAttached(PAST, NOW)).isEqualTo(NOW.plus(MARGIN));
        assertThat(silence.untilAttached(NOW.plusSeconds(5), NOW)).isEqualTo(NOW.plusSeconds(15));
    }

    @Test
    void expectsNothingOfAnEmptyJournal() {
        attached(NOW, process("a", 3, 3));
        assertThat(silence.isReplaying()).isFalse();
    }

    private void attached(Instant now, Attach.AttachedProcess... processes) {
        silence.attached(new Attach.Result(true, 1, List.of(processes), List.of(), null), now);
    }

    private static Attach.AttachedProcess process(String id, long first, long next) {
        return new Attach.AttachedProcess(id, 1, null, "running", null, first, next, null, null);
    }
}
