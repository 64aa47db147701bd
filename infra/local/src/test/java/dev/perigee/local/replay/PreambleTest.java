package dev.perigee.local.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@DisplayName("What was configured when a span begins")
final class PreambleTest {
    private final Preamble preamble = new Preamble();
    private final ConsumerRecord<String, String> configured = record(0, 1);

    private static ConsumerRecord<String, String> record(int partition, long offset) {
        return new ConsumerRecord<>("commands", partition, offset, "k", "v");
    }

    private static JsonNode command(String payload) {
        var json = "{'id':'c','command_type':'configure','payload':{" + payload + "}}";
        return Json.tree(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private void configure() {
        preamble.see(
                configured,
                command(
                        "'event':'mcp_installation_created','config':{'installation_id':'i',"
                                + "'team_id':'t','user_id':'u'}"));
    }

    private boolean isKept() {
        preamble.freeze();
        return preamble.has(configured);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'event':'mcp_installation_deleted','installation_id':'i','user_id':'u'",
                "'action':'mcp_installation_deleted','installation_id':'i','user_id':'u'",
                "'event':'mcp_installation_deleted','installation_id':'i'",
                "'event':'team_member_removed','team_id':'t','user_id':'u'"
            })
    @DisplayName("is not what was deleted, for one user or all, or with its user")
    void deleted(String payload) {
        configure();
        preamble.see(record(1, 2), command(payload));

        assertThat(isKept()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'event':'mcp_installation_deleted','installation_id':'i','user_id':'other'",
                "'event':'mcp_installation_deleted','installation_id':'other'",
                "'event':'team_member_removed','team_id':'other','user_id':'u'",
                "'event':'mcp_installation_deleted'"
            })
    @DisplayName("is what others had deleted")
    void others(String payload) {
        configure();
        preamble.see(record(0, 2), command(payload));

        assertThat(isKept()).isTrue();
    }

    @Test
    @DisplayName("is what came after a deletion")
    void again() {
        preamble.see(
                record(0, 0),
                command("'event':'mcp_installation_deleted','installation_id':'i','user_id':'u'"));
        configure();

        assertThat(isKept()).isTrue();
    }
}
