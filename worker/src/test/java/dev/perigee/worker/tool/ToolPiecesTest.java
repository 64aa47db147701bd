package dev.perigee.worker.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.worker.tool.ToolCatalogue.ServerTool;
import dev.perigee.worker.tool.ToolListing.ListedTool;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ToolPiecesTest {
    private static final RawJson SCHEMA = RawJson.of("{}");
    private static final ToolResults.Effort EFFORT = new ToolResults.Effort(1, 2, Instant.EPOCH);

    private static ServerTool tool(String name, String description) {
        return new ServerTool(
                new DiscoveredTool("s:" + name, name, description, SCHEMA, 1, null), false, false);
    }

    private static ToolRequest request(
            String method, @Nullable String path, @Nullable String arguments) {
        return new ToolRequest(
                "r",
                "t",
                "u",
                method,
                path,
                null,
                arguments == null ? null : RawJson.of(arguments),
                null,
                null,
                null);
    }

    @Test
    void estimatesTokens() {
        assertThat(TokenEstimate.of("abc", null, SCHEMA)).isEqualTo(2);
        assertThat(TokenEstimate.of("abc", "12345678", SCHEMA)).isEqualTo(4);
    }

    @Test
    void comparesCatalogues() {
        var earlier = ToolCatalogue.of(List.of(tool("a", ""), tool("b", ""), tool("a", "again")));
        var later = ToolCatalogue.of(List.of(tool("b", ""), tool("c", "")));

        assertThat(earlier.tools()).hasSize(2);
        var change = later.since(earlier);
        assertThat(change).isNotNull();
        assertThat(change.added()).containsExactly("c");
        assertThat(change.removed()).containsExactly("a");
        assertThat(later.since(later)).isNull();
        assertThat(later).isNotEqualTo(ToolCatalogue.of(List.of(tool("c", ""), tool("b", ""))));
        assertThat(later.enabled(Set.of("b")))
                .extracting(DiscoveredTool::toolName)
                .containsExactly("c");
    }

    @Test
    void findsTools() {
        var tools =
                List.of(
                        listed("read_file", "Reads a file"),
                        listed("write_file", "Writes to disk"),
                        listed("echo", "Repeats a file name"),
                        listed("other", "nothing"));
        assertThat(ToolSearch.find(tools, "FILE read", 10))
                .extracting(ListedTool::toolName)
                .containsExactly("read_file", "write_file", "echo");
        assertThat(ToolSearch.find(tools, "file", 1)).hasSize(1);
    }

    @Test
    @DisplayName("Tools are found by their whole name first, and by words with mistakes")
    void findsToolsNearly() {
        var tools =
                List.of(
                        listed("read", "Reads"),
                        listed("read_file", "Reads a file"),
                        listed("read_file_parts", "Reads parts of a file"),
                        listed("listDirectory", "Lists what is in it"));
        assertThat(names(tools, "read_file").getFirst()).isEqualTo("read_file");
        assertThat(names(tools, "READ").getFirst()).isEqualTo("read");
        assertThat(names(tools, "raed fiel")).startsWith("read_file", "read_file_parts", "read");
        assertThat(names(tools, "directories")).containsExactly("listDirectory");
        assertThat(names(tools, "reed")).hasSize(3);
        assertThat(names(tools, "rxxd")).isEmpty();
        assertThat(names(tools, "lst")).isEmpty();
        assertThat(names(tools, "x".repeat(100_000))).isEmpty();
    }

    private static List<String> names(List<ListedTool> tools, String query) {
        return ToolSearch.find(tools, query, 10).stream().map(ListedTool::toolName).toList();
    }

    private static ListedTool listed(String name, String description) {
        return ListedTool.of("i", tool(name, description).described());
    }

    @Test
    @DisplayName("STA-17: only the first colon ends the server's slug")
    void asksTheServer() {
        var call =
                ServerRequest.of(
                        ToolMethod.TOOLS_CALL,
                        request("tools/call", "s:a:b", "{\"x\": 1.0}"),
                        null,
                        null);
        assertThat(call.tool()).isEqualTo("a:b");
        assertThat(call.params().text()).isEqualTo("{\"name\":\"a:b\",\"arguments\":{\"x\": 1.0}}");

        var traced =
                ServerRequest.of(
                        ToolMethod.RESOURCES_READ,
                        request("resources/read", "s|f://a|b", null),
                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "a=1,b=\"\\");
        assertThat(traced.method()).isEqualTo("resources/read");
        assertThat(traced.params().text())
                .isEqualTo(
                        "{\"uri\":\"f://a|b\",\"_meta\":{\"traceparent\":"
                                + "\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\",\"tracestate\":\"a=1,b=\\\"\\\\\"}}");
        assertThatThrownBy(
                        () ->
                                ServerRequest.of(
                                        ToolMethod.TOOLS_CALL,
                                        request("tools/call", "s", null),
                                        null,
                                        null))
                .isInstanceOf(InvalidRecordException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"echo", "a:b/c", "qu\"ote", "back\\slash", "ünï", "😀", "tab\t"})
    @DisplayName(
            "a call has the bytes that the mapper writes, whatever its tool and trace state are")
    void asksByHandAsByMapper(String text) {
        var trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        var arguments = "{\"x\": [1.0, \"ü\"]}";
        var quoted = Json.raw(text).text();

        var call =
                ServerRequest.of(
                        ToolMethod.TOOLS_CALL,
                        request("tools/call", "s:" + text, arguments),
                        trace,
                        text);

        assertThat(call.params().text())
                .isEqualTo(
                        "{\"name\":%s,\"arguments\":%s,\"_meta\":{\"traceparent\":\"%s\",\"tracestate\":%s}}"
                                .formatted(quoted, arguments, trace, quoted));
        assertThat(
                        ServerRequest.of(
                                        ToolMethod.PROMPTS_GET,
                                        request("prompts/get", "s:" + text, null),
                                        null,
                                        text)
                                .params()
                                .text())
                .isEqualTo("{\"name\":" + quoted + ",\"arguments\":{}}");
    }

    @Test
    @DisplayName("has arguments completed and templates listed in the backend's own words")
    void asksForCompletion() {
        var words =
                "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"}, \"argument\":{\"name\":\"a\",\"value\":\"\"},"
                        + " \"context\":{\"arguments\":{\"b\": 1.0}}}";
        var completion = asked(ToolMethod.COMPLETION_COMPLETE, words);
        assertThat(completion.method()).isEqualTo("completion/complete");
        assertThat(completion.params().text()).isEqualTo(words);
        assertThat(completion.tool()).isNull();
        assertThat(RetryDecision.isRepeatable(completion, null, false)).isTrue();

        var page = asked(ToolMethod.RESOURCES_TEMPLATES_LIST, "{\"cursor\":\"2\"}");
        assertThat(page.method()).isEqualTo("resources/templates/list");
        assertThat(page.params().text()).isEqualTo("{\"cursor\":\"2\"}");
        assertThat(RetryDecision.isRepeatable(page, null, false)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"ref\":{}}",
                "{\"argument\":{}}",
                "{\"ref\":{},\"argument\":null}",
                "{\"ref\":[],\"argument\":{}}",
                "{\"ref\":{},\"argument\":\"a\"}"
            })
    void refusesCompletionOfNothing(String arguments) {
        assertThatThrownBy(() -> asked(ToolMethod.COMPLETION_COMPLETE, arguments))
                .isInstanceOf(InvalidRecordException.class);
    }

    private static ServerRequest asked(ToolMethod method, String arguments) {
        return ServerRequest.of(method, request(method.wireName(), "s", arguments), null, null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-0af7-b7ad",
                "00-0af7-b7ad-01-",
                "00-0AF7-b7ad-01",
                "000-0af7-b7ad-01",
                "00-0af7-b7ad-1",
                "00-0af7651916cd43dd8448eb211c80319c0-b7ad-01",
                "00-0af7-b7ad-01\""
            })
    void tellsTheServerNoTraceThatIsNone(String traceparent) {
        var call =
                ServerRequest.of(
                        ToolMethod.TOOLS_CALL,
                        request("tools/call", "s:a", "{}"),
                        traceparent,
                        "a=1");

        assertThat(call.params().text()).isEqualTo("{\"name\":\"a\",\"arguments\":{}}");
    }

    @Test
    void tellsAToolErrorFromASuccess() {
        assertThat(outcome("tools/call", "{\"content\":[],\"isError\": true}"))
                .isEqualTo(ToolOutcome.TOOL_ERROR);
        assertThat(outcome("tools/call", "{\"isError\":false}")).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(outcome("tools/call", "{\"structuredContent\":{\"isError\":true}}"))
                .isEqualTo(ToolOutcome.SUCCESS);
        assertThat(outcome("tools/call", "{\"text\":\"\\\"isError\\\":true\"}"))
                .isEqualTo(ToolOutcome.SUCCESS);
        assertThat(outcome("resources/read", "{\"isError\":true}")).isEqualTo(ToolOutcome.SUCCESS);
    }

    private static ToolOutcome outcome(String method, String result) {
        return ToolResults.answered(request(method, "s:a", null), "p", RawJson.of(result), EFFORT)
                .outcome();
    }

    @Test
    void refusesWhatDoesNotFit() {
        var bytes = new byte[ToolResults.MAX_RESULT_BYTES + 1];
        Arrays.fill(bytes, (byte) ' ');
        var result =
                ToolResults.answered(
                        request("tools/call", "s:a", null), "p", RawJson.ofBytes(bytes), EFFORT);
        assertThat(result.error()).isNotNull();
        assertThat(result.error().code()).isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(result.result()).isNull();
    }
}
