package dev.perigee.protocol.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandActionTest {
    /** A command that configures a server, with every kind of field. */
    private static final String CONFIGURE =
            """
            {"id":"cmd-1","command_type":"configure","priority":"immediate","correlation_id":"c-1",
             "issued_at":"2026-11-20T10:00:00.000Z","expires_at":"2026-11-20T10:05:00.000Z",
             "payload":{"event":"mcp_installation_created","installation_id":"abc123",
               "team_id":"t1","user_id":"u1",
               "config":{"installation_name":"everything-acme-alice-abc123",
                 "installation_id":"abc123","server_slug":"everything","team_id":"t1",
                 "team_slug":"acme","user_id":"u1","user_slug":"alice",
                 "transport_type":"stdio","command":"npx",
                 "args":["-y","@modelcontextprotocol/server-everything"],
                 "env":{"API_KEY":"s3cret","B":"2"},"runtime":"node",
                 "settings":{"request_logging_enabled":true}}}}
            """;

    @Test
    void theContractsExampleIsAConfiguration() {
        var action = (CommandAction.Configure) CommandAction.of(command(CONFIGURE));

        assertThat(action.change()).isEqualTo(CommandAction.Change.CREATED);
        assertThat(action.config().processId()).isEqualTo("everything-acme-alice-abc123");
        assertThat(action.config().logsRequests()).isTrue();
        assertThat(action.config().runs()).isTrue();
    }

    @Test
    void secretsAreInNoString() {
        var command = command(CONFIGURE);
        assertThat(command.toString()).doesNotContain("s3cret");
        assertThatThrownBy(
                        () ->
                                command(
                                        CONFIGURE.replace(
                                                "{\"API_KEY\":\"s3cret\"",
                                                "{\"API_KEY\":[\"s3cret\"]")))
                .hasMessageContaining("env")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void fingerprintsDependOnContentAndNotOnOrder() {
        var config = ((CommandAction.Configure) CommandAction.of(command(CONFIGURE))).config();
        var swapped =
                CONFIGURE.replace(
                        "{\"API_KEY\":\"s3cret\",\"B\":\"2\"}",
                        "{\"B\":\"2\",\"API_KEY\":\"s3cret\"}");
        var other = CONFIGURE.replace("s3cret", "other");

        assertThat(fingerprint(swapped)).isEqualTo(ConfigFingerprint.of(config)).hasSize(64);
        assertThat(fingerprint(other)).isNotEqualTo(ConfigFingerprint.of(config));
    }

    @ParameterizedTest
    @CsvSource({
        "spawn, Spawn",
        "kill, Kill",
        "restart, Restart",
        "make_coffee, Unknown",
    })
    void commandTypesSelectTheAction(String type, String action) {
        var command =
                command(
                        "{\"id\":\"1\",\"command_type\":\"%s\",\"payload\":{\"installation_id\":\"i\"}}"
                                .formatted(type));
        assertThat(CommandAction.of(command).getClass().getSimpleName()).isEqualTo(action);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"command_type\":\"spawn\",\"payload\":{}}",
                "{\"id\":\"1\",\"payload\":{}}",
                "{\"id\":\"1\",\"command_type\":\"spawn\"}",
                "{\"id\":\"1\",\"command_type\":\"spawn\",\"payload\":{}}",
                "{\"id\":\"1\",\"command_type\":\"configure\",\"payload\":{}}",
                "{\"id\":\"1\",\"command_type\":\"configure\","
                        + "\"payload\":{\"event\":\"mcp_installation_created\"}}",
                "{\"id\":\"1\",\"command_type\":\"spawn\",\"payload\":{\"installation_id\":\"a/b\"}}",
                "{\"id\":\"1\",\"command_type\":\"health_check\","
                        + "\"payload\":{\"installation_id\":\"i\",\"check_type\":\"x\"}}",
            })
    void missingAndWrongFieldsAreInvalid(String text) {
        assertThatThrownBy(() -> CommandAction.of(command(text)))
                .isInstanceOf(InvalidRecordException.class);
    }

    private static String fingerprint(String text) {
        return ConfigFingerprint.of(
                ((CommandAction.Configure) CommandAction.of(command(text))).config());
    }

    private static Command command(String text) {
        return Json.read(text.getBytes(StandardCharsets.UTF_8), Command.class);
    }
}
