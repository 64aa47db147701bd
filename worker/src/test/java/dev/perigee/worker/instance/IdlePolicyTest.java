package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class IdlePolicyTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    @ParameterizedTest(name = "spawned {0} s and used {1} s ago, {2} calls under way: {3}")
    @DisplayName("PRO-56, PRO-57, PRO-58: idle after 180 s, not in the first 60 s, not in a call")
    @CsvSource({
        "600, 180, 0, true",
        "600, 179, 0, false",
        "180,    , 0, true",
        "179,    , 0, false",
        // What an earlier process did is no use of this one, but its spawn counts as use.
        "100, 900, 0, false",
        "180, 900, 0, true",
        "600, 599, 1, false",
    })
    void decides(long spawned, @Nullable Long used, int calls, boolean over) {
        assertThat(IdlePolicy.defaults().isOver(usage(spawned, used, calls), NOW)).isEqualTo(over);
    }

    @ParameterizedTest
    @DisplayName("PRO-57: an idle timeout of 10 s waits for the grace of 60 s")
    @CsvSource({"50, false", "59, false", "60, true"})
    void graceOutlastsTheTimeout(long spawned, boolean over) {
        var policy =
                new IdlePolicy(
                        Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(1));
        assertThat(policy.isOver(usage(spawned, 20L, 0), NOW)).isEqualTo(over);
    }

    @Test
    @DisplayName("PRO-59: checked every 30 s, and 0 disables")
    void canBeSwitchedOff() {
        assertThat(IdlePolicy.defaults().checkInterval()).isEqualTo(Duration.ofSeconds(30));
        var off = new IdlePolicy(Duration.ZERO, Duration.ofSeconds(30), Duration.ZERO);
        assertThat(off.isEnabled()).isFalse();
        assertThat(off.isOver(usage(900_000, 900_000L, 0), NOW)).isFalse();
    }

    @Test
    void refusesNonsense() {
        assertThatThrownBy(() -> new IdlePolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .hasMessageContaining("idle.check-interval");
    }

    private static IdlePolicy.Usage usage(long spawned, @Nullable Long used, int calls) {
        return new IdlePolicy.Usage(
                NOW.minusSeconds(spawned), used == null ? null : NOW.minusSeconds(used), calls);
    }
}
