package dev.perigee.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.settings.InvalidSettingsException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GatewaySettingsTest {
    private final Map<String, String> given =
            new HashMap<>(
                    Map.of(
                            "kafka.bootstrap.servers",
                            "127.0.0.1:9092",
                            "workers",
                            "ws://127.0.0.1:7070/link"));

    @Test
    void hasTheDefaultsOfTheDesign() {
        var settings = GatewaySettings.SCHEMA.read(given);

        assertThat(settings.value(GatewaySettings.PREFIX)).isEqualTo("mcp.");
        assertThat(settings.value(GatewaySettings.SESSION_TIMEOUT))
                .isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.value(GatewaySettings.HEARTBEAT)).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.value(GatewaySettings.REQUEST_TIMEOUT))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.value(GatewaySettings.COMMAND_MEMORY)).isEqualTo(Duration.ofHours(24));
        assertThat(settings.value(GatewaySettings.REQUEST_MEMORY))
                .isEqualTo(Duration.ofMinutes(10));
        assertThat(settings.value(GatewaySettings.REPLY_TOPICS)).isEqualTo(List.of("{prefix}*"));
    }

    @Test
    void passesOtherKafkaKeysOnAndShowsNone() {
        given.put("kafka.sasl.jaas.config", "password");
        var settings = GatewaySettings.SCHEMA.read(given);

        assertThat(settings.value(GatewaySettings.KAFKA))
                .isEqualTo(Map.of("sasl.jaas.config", "password"));
        assertThat(settings.toString()).doesNotContain("password");
    }

    @Test
    void wantsATokenForAdminPagesThatOthersReach() {
        given.put("admin.listen", "0.0.0.0:7081");

        assertThatThrownBy(() -> GatewaySettings.SCHEMA.read(given))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("admin.token must be set");
    }

    @Test
    void refusesKeysOfAConsoleThatItDoesNotHave() {
        given.put("console.enabled", "true");

        assertThatThrownBy(() -> GatewaySettings.SCHEMA.read(given))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("console.enabled");
    }

    @Test
    void wantsHeartbeatsWellWithinTheTimeout() {
        given.put("group.heartbeat-interval", "6s");

        assertThatThrownBy(() -> GatewaySettings.SCHEMA.read(given))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("group.heartbeat-interval");
    }

    @Test
    void wantsALeaseThatOutlivesTheTimeout() {
        given.put("group.session-timeout", "80s");

        assertThatThrownBy(() -> GatewaySettings.SCHEMA.read(given))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("link.lease must not be shorter than group.session-timeout");
    }

    @Test
    void leavesRoomForOtherUsers() {
        given.put("limits.user.queue", "3000");
        assertThatThrownBy(() -> GatewaySettings.SCHEMA.read(given))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("half of partition.open-records");
        given.put("partition.open-records", "7000");
        assertThat(LimitSettings.read(GatewaySettings.SCHEMA.read(given), 10_000).queue())
                .isEqualTo(3000);

        given.put("limits.user.open-bytes", "17MiB");
        assertThatThrownBy(() -> GatewaySettings.SCHEMA.read(given))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("half of partition.open-bytes");
    }

    @Test
    void wantsABroker() {
        given.remove("kafka.bootstrap.servers");

        assertThatThrownBy(() -> GatewaySettings.SCHEMA.read(given))
                .hasMessageContaining("kafka.bootstrap.servers");
    }
}
