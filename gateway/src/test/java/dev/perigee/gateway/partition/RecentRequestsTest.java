package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RecentRequestsTest {
    private Instant now = Instant.ofEpochMilli(1_000_000);

    @Test
    void remembersForAWhile() {
        var recent = new RecentRequests(() -> now, Duration.ofMinutes(10));
        recent.add("a");
        now = now.plusSeconds(599);
        assertThat(recent.contains("a")).isTrue();
        now = now.plusSeconds(2);
        assertThat(recent.contains("a")).isFalse();
        assertThat(recent.contains("b")).isFalse();
    }
}
