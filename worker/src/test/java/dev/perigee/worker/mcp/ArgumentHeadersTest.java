package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("CAL-13: arguments of a tool as headers")
final class ArgumentHeadersTest {

    @Test
    @DisplayName("are those that the schema names, at whatever depth of properties")
    void reads() {
        var headers =
                in(
                        """
                        'a':{'type':'string','x-mcp-header':'Region'},
                        'b':{'type':'object','properties':{'c':{'type':'integer','x-mcp-header':'Deep'}}},
                        'x-mcp-header':{'type':'number'},
                        'd':{'type':'string','default':{'x-mcp-header':7}}""");

        assertThat(headers.mirrored())
                .containsExactly(
                        new ArgumentHeaders.Mirrored("Mcp-Param-Region", List.of("a")),
                        new ArgumentHeaders.Mirrored("Mcp-Param-Deep", List.of("b", "c")));
        assertThat(headers.of(call("'a':'eu','b':{'c':7},'d':'no'")))
                .isEqualTo(Map.of("Mcp-Param-Region", "eu", "Mcp-Param-Deep", "7"));
    }

    @Test
    @DisplayName("are none where the schema names none")
    void none() {
        assertThat(in("'a':{'type':'string'}")).isEqualTo(ArgumentHeaders.NONE);
        assertThat(ArgumentHeaders.NONE.of(call("'a':'eu'"))).isEmpty();
    }

    @Test
    @DisplayName("have values as MCP writes them, and none for what is missing, null or no value")
    void writes() {
        var headers =
                in(
                        IntStream.range(0, 9)
                                .mapToObj(
                                        "'p%1$d':{'type':'string','x-mcp-header':'P%1$d'}"
                                                ::formatted)
                                .collect(Collectors.joining(",")));

        assertThat(
                        headers.of(
                                call(
                                        "'p0':true,'p1':-7,'p2':42.0,'p3':'','p4':' x ','p5':null,"
                                                + "'p6':[1],'p7':1e999999999")))
                .containsEntry("Mcp-Param-P0", "true")
                .containsEntry("Mcp-Param-P1", "-7")
                .containsEntry("Mcp-Param-P2", "42")
                .containsEntry("Mcp-Param-P3", "")
                .containsEntry("Mcp-Param-P4", "=?base64?IHgg?=")
                .doesNotContainKeys("Mcp-Param-P5", "Mcp-Param-P6", "Mcp-Param-P8")
                .allSatisfy((_, value) -> assertThat(value).hasSizeLessThan(40));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'a':{'type':'string','x-mcp-header':''}",
                "'a':{'type':'string','x-mcp-header':'a b'}",
                "'a':{'type':'string','x-mcp-header':'a:b'}",
                "'a':{'type':'string','x-mcp-header':'ü'}",
                "'a':{'type':'string','x-mcp-header':'a\\n'}",
                "'a':{'type':'string','x-mcp-header':7}",
                "'a':{'type':'number','x-mcp-header':'A'}",
                "'a':{'type':'null','x-mcp-header':'A'}",
                "'a':{'type':'object','x-mcp-header':'A'}",
                "'a':{'x-mcp-header':'A'}",
                "'a':{'type':'array','items':{'type':'string','x-mcp-header':'A'}}",
                "'a':{'anyOf':[{'type':'string','x-mcp-header':'A'}]}",
                "'a':{'anyOf':[{'properties':{'b':{'type':'string','x-mcp-header':'A'}}}]}",
                "'a':{'type':'string','x-mcp-header':'A'},'b':{'type':'string','x-mcp-header':'a'}"
            })
    @DisplayName("that cannot be are told")
    void refuses(String properties) {
        assertThatThrownBy(() -> in(properties))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageContaining("x-mcp-header");
    }

    @Test
    @DisplayName("are at most 64")
    void bounded() {
        var properties =
                IntStream.range(0, ArgumentHeaders.MOST + 1)
                        .mapToObj("'p%1$d':{'type':'string','x-mcp-header':'P%1$d'}"::formatted)
                        .collect(Collectors.joining(","));

        assertThatThrownBy(() -> in(properties)).hasMessageContaining("more than 64");
    }

    private static ArgumentHeaders in(String properties) {
        return ArgumentHeaders.in(
                json("{'type':'object','properties':{%s}}".formatted(properties)));
    }

    private static RawJson call(String arguments) {
        return json("{'name':'t','arguments':{%s}}".formatted(arguments));
    }

    private static RawJson json(String text) {
        return RawJson.of(text.replace('\'', '"'));
    }
}
