package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.part.CliException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandFileTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final String CONFIG =
            """
            {"installation_id":"abc123","server_slug":"everything","team_id":"t1",
             "team_slug":"acme","user_id":"u1","user_slug":"alice","transport_type":"stdio",
             "command":"npx","args":["-y","x"],"env":{"KEY":"v"}}""";

    @Test
    void installsABareConfiguration() {
        var addressed = parse(CONFIG, false).getFirst();

        var command = addressed.command();
        assertThat(addressed.key()).hasToString("t1/u1");
        assertThat(command.commandType()).isEqualTo("configure");
        assertThat(command.payload().event()).isEqualTo("mcp_installation_created");
        assertThat(command.payload().config())
                .satisfies(config -> assertThat(config.env()).containsEntry("KEY", "v"));
        assertThat(command.id()).startsWith("cli-");
        assertThat(command.issuedAt()).isEqualTo(NOW);
        assertThat(command.expiresAt()).isEqualTo(NOW.plusSeconds(60));
    }

    @Test
    void takesTheConfigOutOfAnObject() {
        assertThat(parse("{\"config\":" + CONFIG + "}", false)).hasSize(1);
    }

    @Test
    void takesAWholeCommand() {
        var text =
                """
                {"id":"c-1","command_type":"restart","correlation_id":"x",
                 "expires_at":"2026-11-20T10:00:01.000Z",
                 "payload":{"installation_id":"abc123","team_id":"t1"}}""";

        var fresh = parse(text, false).getFirst();
        assertThat(fresh.key()).hasToString("t1/*");
        assertThat(fresh.command().id()).startsWith("cli-");
        assertThat(fresh.command().correlationId()).isEqualTo("x");
        assertThat(fresh.command().expiresAt()).isEqualTo(NOW.plusSeconds(1));
        assertThat(fresh.command().issuedAt()).isEqualTo(NOW);

        assertThat(parse(text, true).getFirst().command().id()).isEqualTo("c-1");
    }

    @Test
    void takesSeveral() {
        assertThat(parse("[" + CONFIG + "," + CONFIG + "]", false)).hasSize(2);
        assertThat(parse(CONFIG + "\n" + CONFIG + "\n", false)).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{                           | file is not valid JSON at line 1",
                "``                          | file holds no command",
                "[]                          | file holds no command",
                "3                           | file must hold JSON objects",
                "{}                          | file: field config.installation_id",
                "{\"command_type\":\"kill\"} | file: field payload",
                "{\"command_type\":\"kill\",\"payload\":{\"installation_id\":\"a\"}} | team_id",
                "{\"command_type\":\"kill\",\"payload\":{\"team_id\":\"a\"}} | installation_id",
            })
    void refuses(String text, String message) {
        assertThatThrownBy(() -> parse(text, false))
                .isInstanceOf(CliException.class)
                .hasMessageContaining(message);
    }

    @Test
    void readsTheExample() {
        var example = Path.of("examples", "everything.json");

        assertThat(Files.exists(example)).isTrue();
        assertThat(CommandFile.read(example.toString(), commands(true)).getFirst().command().id())
                .isEqualTo("cmd-1");
    }

    private static List<Addressed> parse(String text, boolean keepIds) {
        return new CommandFile("file", commands(keepIds)).parse(text);
    }

    private static Commands commands(boolean keepIds) {
        return new Commands(InstantSource.fixed(NOW), Duration.ofSeconds(60), keepIds);
    }
}
