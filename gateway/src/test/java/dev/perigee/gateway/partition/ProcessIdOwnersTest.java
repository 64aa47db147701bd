package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Who has which process id")
final class ProcessIdOwnersTest {
    private final ProcessIdOwners owners = new ProcessIdOwners();

    @Test
    @DisplayName("TEN-01: a process id stays with the first user who had it")
    void first() {
        owners.seen("s-t-u-7", "t1", "u1");
        owners.seen("s-t-u-7", "t1", "u2");

        assertThat(owners.refusal(config("t1", "u1"))).isNull();
        assertThat(owners.refusal(config("t1", "u2")))
                .satisfies(error -> assertThat(error.code()).isEqualTo(ProcessIdOwners.CODE));
        assertThat(owners.refusal(config("t1u", "1"))).isNotNull();
    }

    @Test
    @DisplayName("TEN-01: what is removed may be another's")
    void removed() {
        owners.seen("s-t-u-7", "t1", "u1");
        owners.gone("s-t-u-7");

        assertThat(owners.refusal(config("t1", "u2"))).isNull();
    }

    private static ServerConfig config(String team, String user) {
        return Json.read(
                """
                {"installation_id":"7","server_slug":"s","team_id":"%s","team_slug":"t",
                 "user_id":"%s","user_slug":"u","transport_type":"stdio","command":"node"}"""
                        .formatted(team, user)
                        .getBytes(StandardCharsets.UTF_8),
                ServerConfig.class);
    }
}
