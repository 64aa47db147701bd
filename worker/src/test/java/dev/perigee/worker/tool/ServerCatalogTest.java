package dev.perigee.worker.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.event.EventBody.LeftOut;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.mcp.CallRound;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpRequest;
import dev.perigee.worker.mcp.ServerInfo;
import dev.perigee.worker.mcp.ServerQuestion;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-10: a server's catalogue")
final class ServerCatalogTest {
    private static final Instant NOW = Instant.parse("2026-11-26T10:00:00Z");
    private static final String SECRET = "hunter2";
    private static final String TOOL =
            "{\"name\":\"t\",\"title\":\"T\",\"outputSchema\":{\"type\":\"object\"},\"_meta\":{\"a/b\":1e3}}";

    private final Map<String, String> answers = new HashMap<>();

    /** Answers from the map, by method and cursor; refuses all else. */
    private final McpClient client =
            new McpClient() {
                @Override
                public ServerInfo initialize(Duration timeout) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public McpRequest send(
                        String method, RawJson params, CallRound round, Duration timeout) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public boolean listens() {
                    return false;
                }

                @Override
                public List<String> listen(Collection<String> uris, Duration timeout) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void reply(ServerQuestion question, RawJson result) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void refuse(ServerQuestion question, ServerQuestion.Refusal why) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public RawJson request(String method, RawJson params, Duration timeout)
                        throws McpException {
                    var answer = answers.get(params.size() > 2 ? method + params.text() : method);
                    if (answer == null) {
                        throw McpException.invalidAnswer("no " + method);
                    }
                    return RawJson.of(answer);
                }
            };

    @Test
    void hasTheServersOwnWords() throws Exception {
        answers.put("prompts/list", "{\"prompts\":[{\"name\":\"p\"}],\"nextCursor\":\"2\"}");
        answers.put("prompts/list{\"cursor\":\"2\"}", "{\"prompts\":[{\"name\":\"q\"}]}");
        answers.put("resources/templates/list", "{\"resourceTemplates\":[{\"name\":\"rt\"}]}");
        answers.put("resources/list", "{\"resources\":[{\"uri\":\"a:b\"}]}");

        var catalog = make(info(true), List.of(page(TOOL), page("{\"name\":\"u\"}")));

        assertThat(catalog.protocolVersion()).isEqualTo("2025-11-25");
        assertThat(catalog.serverInfo().text()).isEqualTo("{\"name\":\"s\",\"icons\":[]}");
        assertThat(catalog.instructions()).isEqualTo("Use it well");
        assertThat(texts(catalog.tools())).containsExactly(TOOL, "{\"name\":\"u\"}");
        assertThat(texts(catalog.prompts()))
                .containsExactly("{\"name\":\"p\"}", "{\"name\":\"q\"}");
        assertThat(texts(catalog.resourceTemplates())).containsExactly("{\"name\":\"rt\"}");
        assertThat(texts(catalog.resources())).containsExactly("{\"uri\":\"a:b\"}");
        assertThat(catalog.leftOut()).isEmpty();
    }

    @Test
    @DisplayName("says what did not fit, and keeps what does, in order")
    void isBounded() throws Exception {
        answers.put("prompts/list", "{\"prompts\":[{\"name\":\"p\"}]}");
        var large = "{\"name\":\"l\",\"description\":\"" + "x".repeat(600 << 10) + "\"}";

        var catalog = make(info(true), List.of(page(TOOL), page(large), page(large), page(TOOL)));

        assertThat(texts(catalog.tools())).containsExactly(TOOL, large);
        assertThat(texts(catalog.prompts())).containsExactly("{\"name\":\"p\"}");
        assertThat(catalog.leftOut())
                .containsExactly(
                        new LeftOut("tools", 2, "too_large"),
                        new LeftOut("resource_templates", 0, "failed"),
                        new LeftOut("resources", 0, "failed"));
    }

    @Test
    @DisplayName("is not misled by lists that have no end or are none")
    void isNotMisled() throws Exception {
        answers.put("prompts/list", "{\"prompts\":[{\"name\":\"p\"}],\"nextCursor\":\"2\"}");
        answers.put("prompts/list{\"cursor\":\"2\"}", "{\"prompts\":[],\"nextCursor\":\"2\"}");
        answers.put("resources/templates/list", "{\"resourceTemplates\":[{\"name\":\"a\"},7]}");
        answers.put("resources/list", "{\"resources\":[null]}");

        var catalog = make(info(true), List.of());

        assertThat(texts(catalog.prompts())).containsExactly("{\"name\":\"p\"}");
        assertThat(texts(catalog.resourceTemplates())).containsExactly("{\"name\":\"a\"}");
        assertThat(catalog.resources()).isEmpty();
        assertThat(catalog.leftOut())
                .containsExactly(
                        new LeftOut("resource_templates", 1, "failed"),
                        new LeftOut("resources", 0, "failed"));
    }

    @Test
    @DisplayName("has no configured secret")
    void hasNoSecrets() throws Exception {
        answers.put("resources/list", "{\"resources\":[{\"uri\":\"x:hunter2\"}]}");

        var catalog = make(info(true), List.of(page("{\"hunter2\":[\"hunter2\"]}")));

        assertThat(texts(catalog.tools())).containsExactly("{\"***\":[\"***\"]}");
        assertThat(texts(catalog.resources())).containsExactly("{\"uri\":\"x:***\"}");
    }

    @Test
    @DisplayName("is asked for nothing that the server does not offer")
    void asksForNothing() throws Exception {
        var catalog = make(info(false), List.of(page(TOOL)));

        assertThat(ServerCatalog.asks(info(false))).isFalse();
        assertThat(catalog.leftOut()).isEmpty();
    }

    private Catalog make(ServerInfo info, List<RawJson> pages) throws Exception {
        return new ServerCatalog(
                        client, info, text -> text.replace(SECRET, "***"), Duration.ofSeconds(5))
                .make(pages, NOW);
    }

    private static ServerInfo info(boolean offersMore) {
        return new ServerInfo(
                "s",
                "1",
                "2025-11-25",
                true,
                false,
                offersMore,
                offersMore,
                false,
                new ServerInfo.Said(
                        RawJson.of("{\"name\":\"s\",\"icons\":[]}"),
                        RawJson.EMPTY_OBJECT,
                        "Use it well"));
    }

    private static RawJson page(String tool) {
        return RawJson.of("{\"tools\":[" + tool + "]}");
    }

    private static List<String> texts(List<RawJson> entries) {
        return entries.stream().map(RawJson::text).toList();
    }
}
