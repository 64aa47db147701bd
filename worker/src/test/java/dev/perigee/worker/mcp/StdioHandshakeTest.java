package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;

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
    private final McpException silence =
            new McpException(McpException.Kind.TIMEOUT, true, "silent");

    /** Answers by method, each the last one for ever: results or failures. */
    private final Map<String, List<Object>> answers = new HashMap<>();

    private final List<String> asked = new ArrayList<>();
    private final StdioHandshake.Wire wire =
            new StdioHandshake.Wire() {
                @Override
                public RawJson ask(String method, RawJson params, Duration timeout)
                        throws McpException {
                    asked.add(method);
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

    @ParameterizedTest
    @NullSource
    @EnumSource(value = Era.class, names = "MODERN")
    void probesFirst(@Nullable Era known) throws Exception {
        answers.put(DISCOVER, List.of(DISCOVERED));
        answers.put(INITIALIZE, List.of(INITIALIZED));

        var outcome = make(known);

        assertThat(asked).containsExactly(DISCOVER);
        assertThat(outcome.era()).isEqualTo(Era.MODERN);
        assertThat(outcome.info().protocolVersion()).isEqualTo("2026-07-28");
        assertThat(outcome.info().offersTools()).isTrue();
        assertThat(outcome.info().said().instructions()).isEqualTo("do");
        assertThat(outcome.info().name()).isEqualTo("unnamed");
    }

    @Test
    void fallsBackAtAnyError() throws Exception {
        answers.put(INITIALIZE, List.of(INITIALIZED));
        for (var failure : List.of(refusal, McpException.invalidAnswer("what?"))) {
            asked.clear();
            answers.put(DISCOVER, List.of(failure));
            var outcome = make(null);
            assertThat(asked).containsExactly(DISCOVER, INITIALIZE, "initialized");
            assertThat(outcome.era()).isEqualTo(Era.LEGACY);
            assertThat(outcome.certain()).isTrue();
        }
    }

    @Test
    @DisplayName("a server that is silent and awake is a legacy one")
    void fallsBackAtSilence() throws Exception {
        answers.put(DISCOVER, List.of(silence));
        answers.put(INITIALIZE, List.of(INITIALIZED));
        var outcome = make(null);
        assertThat(asked).containsExactly(DISCOVER, INITIALIZE, "initialized");
        assertThat(outcome.era()).isEqualTo(Era.LEGACY);
        assertThat(outcome.certain()).isTrue();
    }

    @Test
    @DisplayName("a modern server that was still starting is asked once more")
    void asksAgain() throws Exception {
        answers.put(DISCOVER, new ArrayList<>(List.of(silence, DISCOVERED)));
        assertThat(make(null).era()).isEqualTo(Era.MODERN);
        assertThat(asked).containsExactly(DISCOVER, INITIALIZE, DISCOVER);
    }

    @Test
    @DisplayName("a known legacy server costs no question, and one that is modern now is found")
    void remembers() throws Exception {
        answers.put(INITIALIZE, List.of(INITIALIZED));
        assertThat(make(Era.LEGACY).era()).isEqualTo(Era.LEGACY);
        assertThat(asked).containsExactly(INITIALIZE, "initialized");

        asked.clear();
        answers.put(INITIALIZE, List.of(refusal));
        answers.put(DISCOVER, List.of(DISCOVERED));
        assertThat(make(Era.LEGACY).era()).isEqualTo(Era.MODERN);
        assertThat(asked).containsExactly(INITIALIZE, DISCOVER);
    }

    @Test
    @DisplayName("what initialize was refused with is what a user reads")
    void saysWhy() {
        answers.put(DISCOVER, List.of(McpException.invalidAnswer("speaks another revision")));
        var why = catchThrowableOfType(McpException.class, () -> make(null));
        assertThat(why).isSameAs(refusal);
        why = catchThrowableOfType(McpException.class, () -> make(Era.LEGACY));
        assertThat(why).isSameAs(refusal);
    }

    @Test
    @DisplayName("a server that ends is asked nothing more")
    void stops() {
        var ended = new McpException(McpException.Kind.CRASHED, true, "ended");
        answers.put(DISCOVER, List.of(ended));
        assertThat(catchThrowableOfType(McpException.class, () -> make(null))).isSameAs(ended);
        assertThat(asked).containsExactly(DISCOVER);
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
        assertThat(meta.put(RawJson.EMPTY_OBJECT).text()).startsWith("{\"_meta\":{");
    }

    private StdioHandshake.Outcome make(@Nullable Era known) throws Exception {
        return new StdioHandshake(wire, McpOptions.defaults(), Duration.ofSeconds(5)).make(known);
    }
}
