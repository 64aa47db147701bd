package dev.perigee.protocol.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecentIdsTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private final IdBudget budget = IdBudget.ofBytes(10 * IdTable.BYTES_PER_ID);
    private final RecentIds ids = new RecentIds(budget, WINDOW);

    @Test
    @DisplayName("OWN-09: knows an id for the whole window and no longer")
    void knowsAnIdForTheWindow() {
        remember("a", NOW);
        remember("b", NOW.plusSeconds(119));
        remember("c", NOW.plusSeconds(125));
        var end = NOW.plus(WINDOW);
        assertThat(ids.contains("a", end.minusMillis(1))).isTrue();
        assertThat(ids.contains("a", end)).isFalse();
        assertThat(ids.contains("b", end.plusMillis(118_999))).isTrue();
        assertThat(ids.contains("b", end.plusMillis(119_000))).isFalse();
        assertThat(ids.contains("c", end.plusMillis(124_999))).isTrue();
        assertThat(ids.contains("d", NOW)).isFalse();
    }

    @Test
    void countsFromTheLastTime() {
        remember("a", NOW);
        remember("a", NOW.plusSeconds(60));
        remember("a", NOW.plusSeconds(300));
        assertThat(ids.contains("a", NOW.plusSeconds(899))).isTrue();
        assertThat(ids.contains("a", NOW.plusSeconds(900))).isFalse();
        assertThat(budget.used()).isLessThanOrEqualTo(2);
    }

    @Test
    @DisplayName("OWN-09: at 1,000 new ones a second knows all of ten minutes, in 24 MiB")
    void knowsEveryIdOfTheWindow() {
        int calls = 600_000;
        var busy = new RecentIds(IdBudget.ofBytes(24 << 20), WINDOW);
        for (int i = 0; i < 2 * calls; i++) {
            assertThat(busy.reserve()).isTrue();
            busy.remember("r-" + i, NOW.plusMillis(i));
        }
        var end = NOW.plusMillis(2L * calls - 1);
        for (int i = calls; i < 2 * calls; i++) {
            assertThat(busy.contains("r-" + i, end)).isTrue();
        }
    }

    @Test
    @DisplayName("OWN-09: has no room beyond the memory set aside, whoever else has it")
    void isBounded() {
        var other = new RecentIds(budget, WINDOW);
        for (int i = 0; i < 6; i++) {
            assertThat(other.reserve()).isTrue();
        }
        for (int i = 0; i < 4; i++) {
            remember("a" + i, NOW);
        }
        assertThat(ids.reserve()).isFalse();
        ids.release();

        other.release();
        assertThat(ids.reserve()).isTrue();
        ids.release();
        other.close();
        assertThat(budget.used()).isEqualTo(4);
    }

    @Test
    void givesMemoryBackThatIsNotNeeded() {
        for (int i = 0; i < 10; i++) {
            remember("a" + i, NOW);
        }
        assertThat(ids.reserve()).isFalse();
        ids.release();

        ids.forget(NOW.plus(WINDOW).plus(WINDOW.dividedBy(5)));
        assertThat(budget.used()).isZero();
        assertThat(ids.size()).isZero();
    }

    @Test
    void remembersNothingAfterItsEnd() {
        remember("a", NOW);
        assertThat(ids.reserve()).isTrue();
        ids.close();
        ids.remember("b", NOW);
        ids.release();
        assertThat(ids.reserve()).isFalse();
        assertThat(budget.used()).isZero();
        assertThat(ids.contains("a", NOW)).isFalse();
    }

    @Test
    void aClockThatGoesBackForgetsNothing() {
        remember("a", NOW);
        remember("b", NOW.minusSeconds(5));
        assertThat(ids.contains("a", NOW.minusSeconds(5))).isTrue();
        assertThat(ids.contains("b", NOW)).isTrue();
    }

    @Test
    void keepsLongWindowsToo() {
        var day = Duration.ofDays(1);
        var many = new RecentIds(budget, day);
        assertThat(many.reserve()).isTrue();
        var at = NOW.plus(Duration.ofHours(4));
        many.remember("a", at);
        assertThat(many.contains("a", at.plus(day).minusMillis(1))).isTrue();
        assertThat(many.contains("a", at.plus(day).plusMillis(10))).isFalse();
    }

    @Test
    @DisplayName("OWN-09: takes no more memory for an id than is counted for it")
    void takesWhatIsCounted() {
        var table = new IdTable();
        var hash = IdHash.random();
        for (int i = 1; i <= 300_000; i++) {
            hash.of("acme/alice/request-" + i);
            assertThat(table.put(hash.high(), hash.low(), i)).isTrue();
            if (i > 1_000) {
                assertThat(16L * table.capacity()).isLessThan((long) i * IdTable.BYTES_PER_ID);
            }
        }
        for (int i = 1; i <= 300_000; i++) {
            hash.of("acme/alice/request-" + i);
            assertThat(table.find(hash.high(), hash.low())).isEqualTo(i);
            hash.of("acme/bob/request-" + i);
            assertThat(table.find(hash.high(), hash.low())).isEqualTo(IdTable.ABSENT);
        }
    }

    private void remember(String id, Instant now) {
        assertThat(ids.reserve()).isTrue();
        ids.remember(id, now);
    }
}
