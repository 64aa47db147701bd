package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-20: a request of 2026-07-28 over HTTP")
final class ModernMessageTest {
    private static final String META =
            "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                    + "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{}}}";
    private static final String CALL = "\"name\":\"echo\",\"arguments\":{\"n\":42,\"s\":\"ü\"}";

    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    ModernMessageTest() {
        headers.put("mcp-protocol-version", "2026-07-28");
        headers.put("mcp-method", "tools/call");
        headers.put("mcp-name", "echo");
    }

    private ModernMessage of(String params) {
        var text =
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
                        + params
                        + "}}";
        return ModernMessage.of(
                JsonRpc.readInput(text.getBytes(StandardCharsets.UTF_8)), headers::get);
    }

    private long refusal(String params) {
        var refused = catchThrowableOfType(DoorRefusedException.class, () -> of(params));
        assertThat(refused).isNotNull();
        assertThat(refused.status()).isEqualTo(400);
        var body = Json.tree(refused.body().bytes());
        assertThat(body.path("id").asInt(0)).isEqualTo(7);
        return body.at("/error/code").asLong(0);
    }

    @Test
    @DisplayName("says who it is from")
    void says() {
        var message = of(CALL + "," + META);

        assertThat(message.name()).isEqualTo("echo");
        assertThat(message.abilities().samples()).isTrue();
        assertThat(message.abilities().forms()).isFalse();
        assertThat(message.logLevel()).isNull();
    }

    @Test
    @DisplayName("has its _meta, and headers that say the same")
    void checked() {
        assertThat(refusal(CALL)).isEqualTo(-32602);
        assertThat(refusal(CALL + ",\"_meta\":{}")).isEqualTo(-32602);
        assertThat(refusal(CALL + "," + META.replace("2026-07-28", "2027-01-01")))
                .isEqualTo(-32020);
        headers.put("mcp-protocol-version", "2027-01-01");
        assertThat(refusal(CALL + "," + META.replace("2026-07-28", "2027-01-01")))
                .isEqualTo(-32022);
        headers.put("mcp-protocol-version", "2026-07-28");
        headers.put("mcp-name", "other");
        assertThat(refusal(CALL + "," + META)).isEqualTo(-32020);
        headers.put("mcp-name", "=?base64?ZWNobw==?=");
        assertThat(of(CALL + "," + META).name()).isEqualTo("echo");
        headers.put("mcp-name", "=?base64?ZWNobw?=");
        assertThat(refusal(CALL + "," + META)).isEqualTo(-32020);
        headers.remove("mcp-name");
        assertThat(refusal(CALL + "," + META)).isEqualTo(-32020);
        headers.put("mcp-name", "echo");
        headers.put("mcp-method", "TOOLS/CALL");
        assertThat(refusal(CALL + "," + META)).isEqualTo(-32020);
    }

    @Test
    @DisplayName("repeats arguments in headers as the tool's schema asks")
    void parameters() {
        var tool =
                RawJson.of(
                        "{\"inputSchema\":{\"type\":\"object\",\"properties\":{"
                                + "\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"},"
                                + "\"s\":{\"type\":\"string\",\"x-mcp-header\":\"S\"},"
                                + "\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"}}}}");
        var message = of(CALL + "," + META);
        headers.put("mcp-param-n", "42.0");
        headers.put("mcp-param-s", "=?base64?w7w=?=");
        ParameterHeaders.require(message, tool, headers::get);

        headers.put("mcp-param-b", "true");
        assertThat(mismatches(message, tool)).isTrue();
        headers.remove("mcp-param-b");
        headers.put("mcp-param-n", "43");
        assertThat(mismatches(message, tool)).isTrue();
        headers.put("mcp-param-n", "42");
        headers.remove("mcp-param-s");
        assertThat(mismatches(message, tool)).isTrue();
    }

    private boolean mismatches(ModernMessage message, RawJson tool) {
        return catchThrowableOfType(
                        DoorRefusedException.class,
                        () -> ParameterHeaders.require(message, tool, headers::get))
                != null;
    }
}
