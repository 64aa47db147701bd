package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.quarantine.Ran;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What is taken to run in a session")
final class AwakeTest {
    private static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");

    private final Awake awake = new Awake();

    @Test
    @DisplayName(
            "is what was given, until it says that it sleeps, and again when a call goes to it")
    void follows() {
        awake.given("a", true, NOW);
        awake.given("b", false, NOW);
        awake.asleep("b");
        assertThat(awake.ran(NOW.plusSeconds(10)))
                .isEqualTo(Map.of("a", new Ran(Duration.ofSeconds(10), true)));

        awake.woken("b", NOW.plusSeconds(5));
        awake.woken("a", NOW.plusSeconds(5));
        assertThat(awake.ran(NOW.plusSeconds(10)))
                .isEqualTo(
                        Map.of(
                                "a",
                                new Ran(Duration.ofSeconds(10), true),
                                "b",
                                new Ran(Duration.ofSeconds(5), false)));
    }

    @Test
    @DisplayName(
            "TEN-10: is what it was when the link went down; what was sent since starts when it is"
                    + " back")
    void suspended() {
        awake.given("a", false, NOW.minusSeconds(7200));
        awake.suspended(NOW);
        awake.suspended(NOW.plusSeconds(1));
        awake.given("a", true, NOW.plusSeconds(2));
        awake.given("new", true, NOW.plusSeconds(2));
        awake.woken("called", NOW.plusSeconds(2));
        awake.runs("said", NOW.plusSeconds(2));
        assertThat(awake.ran(NOW.plusSeconds(5)))
                .isEqualTo(
                        Map.of(
                                "a",
                                new Ran(Duration.ofHours(2), false),
                                "said",
                                new Ran(Duration.ZERO, false)));

        awake.resumed(NOW.plusSeconds(6));
        assertThat(awake.isSuspended()).isFalse();
        var since = Duration.ofSeconds(10);
        assertThat(awake.ran(NOW.plusSeconds(16)))
                .containsEntry("a", new Ran(since, true))
                .containsEntry("new", new Ran(since, true))
                .containsEntry("called", new Ran(since, false));
    }

    @Test
    @DisplayName("is for long what ran before its owner came")
    void found() {
        awake.found("a");
        assertThat(Objects.requireNonNull(awake.ran(NOW).get("a")).time())
                .isGreaterThan(Duration.ofDays(1));
        awake.given("b", false, NOW);
        awake.found("b");
        assertThat(awake.ran(NOW)).containsEntry("b", new Ran(Duration.ZERO, false));
    }
}
