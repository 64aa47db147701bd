package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.ToolNames.Place;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@DisplayName("A tool's entry")
final class DescribedToolTest {
    private static final Place PLACE = new Place("files", "i1", "read");

    private static JsonNode named(String entry) {
        return Json.tree(DescribedTool.named("files__read", PLACE, RawJson.of(entry)).bytes());
    }

    @Test
    @DisplayName("is the server's own under another name")
    void keeps() {
        var tool =
                named(
                        """
                        {"name":"read","title":"Read","description":"Reads","inputSchema":{"type":"object",
                         "properties":{"n":{"type":"number","maximum":1.50}},"required":["n"]},
                         "outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},
                         "icons":[{"src":"data:,"}],"x-own":[1],"_meta":{"acme/x":1}}""");

        assertThat(tool.path("name").asString("")).isEqualTo("files__read");
        assertThat(tool.path("title").asString("")).isEqualTo("Read");
        assertThat(tool.at("/inputSchema/required/0").asString("")).isEqualTo("n");
        assertThat(tool.at("/outputSchema/type").asString("")).isEqualTo("object");
        assertThat(tool.at("/annotations/readOnlyHint").asBoolean(false)).isTrue();
        assertThat(tool.at("/icons/0/src").asString("")).isEqualTo("data:,");
        assertThat(tool.at("/x-own/0").asInt(0)).isEqualTo(1);
        assertThat(tool.path("_meta").path("acme/x").asInt(0)).isEqualTo(1);
        assertThat(tool.path("_meta").path("dev.perigee/tool_name").asString("")).isEqualTo("read");
        assertThat(tool.path("_meta").path("dev.perigee/installation_id").asString(""))
                .isEqualTo("i1");
    }

    @Test
    @DisplayName("keeps numbers as they were written")
    void keepsNumbers() {
        var entry = RawJson.of("{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"x\":1.50}}");

        assertThat(DescribedTool.named("n", PLACE, entry).text()).contains("\"x\":1.50");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "title         | 7",
                "description   | {}",
                "outputSchema  | {\"type\":\"string\"}",
                "outputSchema  | true",
                "annotations   | {\"readOnlyHint\":\"yes\"}",
                "annotations   | []",
                "icons         | [{\"href\":1}]",
                "_meta         | [] ",
                "execution     | {\"taskSupport\":\"required\"}"
            })
    @DisplayName("loses what clients would refuse the whole list for")
    void loses(String field, String value) {
        var tool =
                named(
                        "{\"name\":\"read\",\"inputSchema\":{\"type\":\"object\"},\"%s\":%s}"
                                .formatted(field, value));

        assertThat(tool.path(field).has("dev.perigee/tool_name") || !tool.has(field)).isTrue();
        assertThat(tool.path(field).isArray()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "7",
                "{}",
                "{\"type\":\"string\"}",
                "{\"type\":\"object\",\"properties\":{\"a\":true}}",
                "{\"type\":\"object\",\"required\":\"a\"}"
            })
    @DisplayName("has a schema of an object in any case")
    void hasASchema(String schema) {
        var tool = named("{\"name\":\"read\",\"inputSchema\":" + schema + "}");

        assertThat(tool.path("inputSchema").toString()).isEqualTo("{\"type\":\"object\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7",
                "[]",
                "{}",
                "{\"name\":7}",
                "{\"name\":\"\"}",
                "{\"name\":null}",
                "{\"name\":\"\\ud800\"}"
            })
    @DisplayName("without a name is none")
    void needsAName(String entry) {
        assertThat(DescribedTool.nameOf(RawJson.of(entry))).isNull();
    }
}
