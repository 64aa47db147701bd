package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class RecentResultsTest {
    private static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");
    private static final RawJson RESULT = RawJson.of('"' + "x".repeat(10_000) + '"');

    @Test
    @DisplayName(
            "the results of all sessions have one bound, and their ids are remembered all the same")
    void haveOneBound() {
        var ids = IdBudget.ofBytes(1 << 20);
        var kept = ByteBudget.of(2 << 20);
        var limits = new RecentResults.Limits(Duration.ofMinutes(10), 1000, 4 << 20);
        var sessions =
                Stream.generate(() -> new RecentResults(limits, ids, kept)).limit(16).toList();
        for (var session : sessions) {
            for (int i = 0; i < 300; i++) {
                assertThat(session.reserve()).isTrue();
                session.remember("r-" + i, new RecentResults.Answer("p", RESULT), NOW);
            }
            assertThat(session.find("r-299", NOW)).as("the newest").isNotNull();
            assertThat(session.find("r-0", NOW)).as("the oldest").isNull();
            assertThat(session.contains("r-0", NOW)).isTrue();
        }
        assertThat(kept.used()).isLessThan(kept.limit() + 16 * (64 << 10));

        sessions.forEach(RecentResults::end);
        assertThat(kept.used()).isZero();
    }
}
