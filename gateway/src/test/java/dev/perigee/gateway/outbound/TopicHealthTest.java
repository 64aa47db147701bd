package dev.perigee.gateway.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A topic that cannot be used")
final class TopicHealthTest {
    private final TopicHealth health = new TopicHealth(new TopicNames("mcp."));
    private final AtomicInteger changes = new AtomicInteger();

    @Test
    @DisplayName("is gone without, alone, unless everything depends on it")
    void blocked() {
        assertThat(health.isBlocked("mcp.logs")).isFalse();
        health.found(Map.of(Topic.LOGS, "gone"));
        assertThat(health.isBlocked("mcp.logs")).isTrue();
        assertThat(health.isBlocked("mcp.status")).isFalse();
        assertThat(health.isBlocked("another")).isFalse();
        health.found(Map.of(Topic.LOGS, "gone", Topic.STATE, "gone"));
        assertThat(health.isBlocked("mcp.logs")).isFalse();
        assertThat(health.isBlocked("mcp.state")).isFalse();
    }

    @Test
    @DisplayName("is told when others are concerned than before, not when something else is wrong")
    void listeners() {
        health.listen(changes::incrementAndGet);
        health.found(Map.of(Topic.LOGS, "gone"));
        health.found(Map.of(Topic.LOGS, "full"));
        assertThat(changes).hasValue(1);
        assertThat(health.troubles()).containsEntry(Topic.LOGS, "full");
        health.found(Map.of());
        assertThat(changes).hasValue(2);
        assertThat(health.troubles()).isEmpty();
    }

    @Test
    @DisplayName("loses its records, keeps them or holds up all, by what they are worth")
    void policies() {
        assertThat(health.policy("mcp.logs")).isEqualTo(UnwritablePolicy.COUNTED);
        assertThat(health.policy("mcp.command-results")).isEqualTo(UnwritablePolicy.KEPT);
        assertThat(health.policy("mcp.tool-results")).isEqualTo(UnwritablePolicy.NONE);
        assertThat(health.policy("another")).isEqualTo(UnwritablePolicy.NONE);
    }
}
