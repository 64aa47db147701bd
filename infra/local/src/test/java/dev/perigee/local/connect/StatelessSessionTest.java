package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-20: a session that has one request")
final class StatelessSessionTest extends SessionTesting {
    private McpSession stateless;

    @BeforeEach
    void begin() {
        stateless =
                McpSession.stateless(
                        new ConnectOptions("t1", "u1", null, Duration.ofMinutes(1), "1.2.3"),
                        true,
                        () -> "r" + ids.incrementAndGet(),
                        ClientAbilities.NONE,
                        null);
        stateless.offered(offer("read"));
    }

    private List<Action> requests(String method, String params) {
        return stateless.received(
                """
                {"jsonrpc":"2.0","id":9,"method":"%s","params":%s}"""
                        .formatted(method, params)
                        .getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("is discovered instead of initialized")
    void discovered() {
        var answer = sent(requests("server/discover", "{}"));

        assertThat(answer.at("/result/supportedVersions/0").asString("")).isEqualTo("2026-07-28");
        assertThat(answer.at("/result/capabilities/tools").isObject()).isTrue();
        assertThat(answer.at("/result/capabilities/prompts").isMissingNode()).isTrue();
        for (var gone : List.of("initialize", "ping", "logging/setLevel", "resources/list")) {
            assertThat(sent(requests(gone, "{}")).at("/error/code").asInt(0))
                    .as(gone)
                    .isEqualTo(Messages.METHOD_NOT_FOUND);
        }
    }

    @Test
    @DisplayName("says which changes a subscription has, and has those only")
    void subscribes() {
        var acknowledged =
                sent(
                        requests(
                                "subscriptions/listen",
                                """
                                {"notifications":{"toolsListChanged":true,
                                 "promptsListChanged":true}}"""));
        assertThat(acknowledged.at("/params/notifications").propertyNames())
                .containsExactly("toolsListChanged");

        var changed = sent(stateless.offered(offer("read", "write")));

        assertThat(changed.path("method").asString(""))
                .isEqualTo("notifications/tools/list_changed");
        assertThat(
                        changed.at("/params/_meta")
                                .path("io.modelcontextprotocol/subscriptionId")
                                .asInt(0))
                .isEqualTo(9);
    }

    @Test
    @DisplayName("has prompts, resources and completions where it is of one server")
    void one() {
        var server =
                new OneServer(
                        "files",
                        "i1",
                        RawJson.of("{\"prompts\":{},\"resources\":{},\"completions\":{}}"),
                        List.of(RawJson.of("{\"name\":\"p\"}"), RawJson.of("5")),
                        List.of(RawJson.of("{\"uri\":\"file:///a\"}")),
                        List.of());
        stateless.offered(new Offer(List.of(), server));

        assertThat(sent(requests("server/discover", "{}")).at("/result/capabilities/completions"))
                .hasToString("{}");
        assertThat(sent(requests("prompts/list", "{}")).at("/result/prompts").size()).isEqualTo(1);
        var read = (Action.Call) requests("resources/read", "{\"uri\":\"file:///a\"}").getFirst();
        assertThat(read.request().toolPath()).isEqualTo("files|file:///a");
        assertThat(read.request().installationId()).isEqualTo("i1");
        var completes =
                (Action.Call)
                        stateless
                                .received(
                                        """
                                        {"jsonrpc":"2.0","id":10,"method":"completion/complete",
                                         "params":{"argument":{"value": 1.0},"_meta":{"a/b":1},
                                         "ref":{"name":"p"},"requestState":"s","context":{}}}"""
                                                .getBytes(StandardCharsets.UTF_8))
                                .getFirst();
        assertThat(completes.request().method()).isEqualTo("completion/complete");
        assertThat(completes.request().toolPath()).isEqualTo("files");
        assertThat(completes.request().installationId()).isEqualTo("i1");
        assertThat(completes.request().arguments())
                .isEqualTo(
                        RawJson.of(
                                "{\"argument\":{\"value\": 1.0},\"ref\":{\"name\":\"p\"},\"context\":{}}"));
    }
}
