package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("The time of commands")
final class CommandsTest {
    private static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");
    private static final Duration LIFETIME = Duration.ofMinutes(2);

    private final AtomicReference<Instant> now = new AtomicReference<>(NOON);
    private final Commands commands = new Commands(now::get, LIFETIME, true);

    @Test
    @DisplayName("begins when they are sent, where they brought none")
    void renews() {
        var command = read("");
        now.set(NOON.plusSeconds(600));
        var sent = commands.renewed(command);
        assertThat(sent.id()).isEqualTo("c-1");
        assertThat(sent.issuedAt()).isEqualTo(NOON.plusSeconds(600));
        assertThat(sent.expiresAt()).isEqualTo(NOON.plusSeconds(600).plus(LIFETIME));
    }

    @ParameterizedTest
    @CsvSource({"expires_at", "issued_at"})
    @DisplayName("is theirs where they brought it")
    void keeps(String brought) {
        var command = read("\"" + brought + "\":\"2026-11-26T12:01:00Z\",");
        now.set(NOON.plusSeconds(600));
        assertThat(commands.renewed(command)).isEqualTo(command);
    }

    private Command read(String time) {
        var text =
                "{\"id\":\"c-1\","
                        + time
                        + "\"command_type\":\"configure\",\"payload\":{\"event\":\"team_member_removed\","
                        + "\"team_id\":\"t1\",\"user_id\":\"u1\"}}";
        var written = (ObjectNode) JsonMapper.shared().readTree(text);
        return Json.convert(commands.completed(written), Command.class);
    }
}
