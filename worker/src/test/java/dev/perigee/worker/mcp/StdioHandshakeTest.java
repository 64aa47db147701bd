package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.LogLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-12: the first exchange with a server over pipes")
final class StdioHandshakeTest {
    private static final String DISCOVER = "server/discover";
    private static final String INITIALIZE = "initialize";
    private static final RawJson INITIALIZED =
            RawJson.of(
                    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                            + "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}");
    private static final RawJson DISCOVERED =
            RawJson.of(
                    "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}},"
                            + "\"instructions\":\"do\"}");
    private final McpException refusal =
            new McpException(McpException.Kind.SERVER_ERROR, true, "refused");

    /** Answers by method, each the last one for ever: results or failures. */
    private final Map<String, List<Object>> answers = new HashMap<>();

    private final List<String> asked = new ArrayList<>();
    private final List<Duration> limits = new ArrayList<>();
    private final StdioHandshake.Wire wire =
            new StdioHandshake.Wire() {
                @Override
                public RawJson ask(String method, RawJson params, Duration timeout)
                        throws McpException {
                    asked.add(method);
                    limits.add(timeout);
                    assertThat(timeout).isPositive();
                    boolean modern = params.text().contains("io.modelcontextprotocol/");
                    assertThat(modern).isEqualTo(method.equals(DISCOVER));
                    var all = answers.getOrDefault(method, List.of(refusal));
                    var answer = all.size() > 1 ? all.removeFirst() : all.getFirst();
                    if (answer instanceof McpException failure) {
                        throw failure;
                    }
                    return (RawJson) answer;
                }

                @Override
                public void initialized(Duration timeout) {
                    asked.add("initialized");
                }
            };

    @Test
    @DisplayName("a legacy server reads nothing that it may not know")
    void initializesFirst() throws Exception {
        answers.put(INITIALIZE, List.of(INITIALIZED));
        answers.put(DISCOVER, List.of(DISCOVERED));

        assertThat(make().era()).isEqualTo(Era.LEGACY);
        assertThat(asked).containsExactly(INITIALIZE, "initialized");
    }

    @Test
    @DisplayName("a server that refuses initialize is discovered")
    void discovers() throws Exception {
        answers.put(DISCOVER, List.of(DISCOVERED));

        var outcome = make();

        assertThat(asked).containsExactly(INITIALIZE, DISCOVER);
        assertThat(outcome.era()).isEqualTo(Era.MODERN);
        assertThat(outcome.info().protocolVersion()).isEqualTo("2026-07-28");
        assertThat(outcome.info().offersTools()).isTrue();
        assertThat(outcome.info().said().instructions()).isEqualTo("do");
        assertThat(outcome.info().name()).isEqualTo("unnamed");
    }

    @Test
    @DisplayName("what initialize was refused with is what a user reads, whatever follows")
    void saysWhy() {
        for (var failure :
                List.of(
                        McpException.invalidAnswer("speaks another revision"),
                        new McpException(McpException.Kind.TIMEOUT, true, "silent"),
                        new McpException(McpException.Kind.CRASHED, true, "ended"))) {
            answers.put(DISCOVER, List.of(failure));
            assertThat(catchThrowableOfType(McpException.class, this::make)).isSameAs(refusal);
        }
        assertThat(limits.getLast()).isLessThanOrEqualTo(Duration.ofSeconds(2));
    }

    @Test
    @DisplayName("a server that ends, is silent or answers wrongly is asked nothing more")
    void stops() {
        for (var failure :
                List.of(
                        new McpException(McpException.Kind.CRASHED, true, "ended"),
                        new McpException(McpException.Kind.TIMEOUT, true, "silent"),
                        McpException.invalidAnswer("what?"))) {
            asked.clear();
            answers.put(INITIALIZE, List.of(failure));
            assertThat(catchThrowableOfType(McpException.class, this::make)).isSameAs(failure);
            assertThat(asked).containsExactly(INITIALIZE);
        }
    }

    @Test
    @DisplayName("a modern request keeps what it has, and says who asks")
    void says() {
        var meta = new ModernMeta(McpOptions.defaults());
        var params =
                RawJson.of(
                        "{\"name\":\"t\",\"arguments\":{\"a\": 1e3},\"_meta\":{\"traceparent\":\"x\","
                                + "\"io.modelcontextprotocol/protocolVersion\":\"1900\"}}");

        var put = Json.tree(meta.put(params).bytes());

        assertThat(meta.put(params).text()).contains("\"arguments\":{\"a\": 1e3}");
        assertThat(put.at("/_meta/traceparent").asString("")).isEqualTo("x");
        assertThat(put.at("/_meta/io.modelcontextprotocol~1protocolVersion").asString(""))
                .isEqualTo("2026-07-28");
        assertThat(put.at("/_meta/io.modelcontextprotocol~1clientInfo/name").asString(""))
                .isEqualTo("perigee");
        assertThat(put.at("/_meta/io.modelcontextprotocol~1clientCapabilities").isObject())
                .isTrue();
        assertThat(meta.put(RawJson.EMPTY_OBJECT).text())
                .startsWith("{\"_meta\":{")
                .doesNotContain("logLevel");
        var logging = meta.put(params, new CallRound(true, false, false, LogLevel.DEBUG, null));
        assertThat(
                        Json.tree(logging.bytes())
                                .at("/_meta/io.modelcontextprotocol~1logLevel")
                                .asString(""))
                .isEqualTo("debug");
    }

    private StdioHandshake.Outcome make() throws McpException, InterruptedException {
        return new StdioHandshake(wire, McpOptions.defaults(), Duration.ofSeconds(5)).make();
    }
}
