package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What a gateway tells by itself of an instance")
final class OwnStatusTest {
    private static final RawJson ONLINE =
            RawJson.of(
                    "{\"status\":\"online\",\"synced\":true,\"crashes\":[],"
                            + "\"disabled_tools\":[\"x\"],\"later\":{\"n\":1.50}}");

    @Test
    @DisplayName("OWN-13: that it is not online when its host is given up; the rest is remembered")
    void notOnlineAnyMore() {
        var own = Objects.requireNonNull(OwnStatus.lost(ONLINE));

        assertThat(own.event())
                .isEqualTo(
                        new StatusChanged(
                                ServerStatus.CONNECTING,
                                OwnStatus.LOST,
                                ServerStatus.ONLINE,
                                null));
        assertThat(own.durable().text())
                .contains("\"status\":\"connecting\"", "\"synced\":true")
                .contains("\"disabled_tools\":[\"x\"]", "\"n\":1.5");
        assertThat(OwnStatus.lost(own.durable())).as("once").isNull();
    }

    @Test
    @DisplayName("OWN-13: that it is online when its host is found alive, and only then")
    void onlineAgain() {
        var lost = Objects.requireNonNull(OwnStatus.lost(ONLINE));
        var own = Objects.requireNonNull(OwnStatus.found(lost.durable()));

        assertThat(own.event().status()).isEqualTo(ServerStatus.ONLINE);
        assertThat(own.event().previousStatus()).isEqualTo(ServerStatus.CONNECTING);
        assertThat(OwnStatus.lost(own.durable())).isNotNull();
        assertThat(OwnStatus.found(own.durable())).isNull();
        assertThat(OwnStatus.found(ONLINE)).isNull();
        assertThat(OwnStatus.found(null)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"status\":null}",
                "{\"status\":\"offline\",\"status_message\":\"Stopped\"}",
                "{\"status\":\"connecting\",\"status_message\":\"Starting\"}",
                "{\"status\":\"requires_reauth\"}",
                "{\"status\":\"of a later version\"}"
            })
    @DisplayName("nothing of one that was not online, or that it does not understand")
    void nothing(String durable) {
        assertThat(OwnStatus.lost(RawJson.of(durable))).isNull();
        assertThat(OwnStatus.found(RawJson.of(durable))).isNull();
        assertThat(OwnStatus.lost(null)).isNull();
    }
}
