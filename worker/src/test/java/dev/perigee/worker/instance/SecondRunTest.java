package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.instance.CallGate.Await;
import dev.perigee.worker.instance.CallGate.Refuse;
import dev.perigee.worker.instance.CallGate.Verdict;
import dev.perigee.worker.instance.CallGate.Wake;
import dev.perigee.worker.tool.ServerRequest;
import dev.perigee.worker.tool.ToolCatalogue;
import dev.perigee.worker.tool.ToolCatalogue.ServerTool;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A call that may have run on a lost worker")
final class SecondRunTest {
    private static final ToolCatalogue TOOLS =
            ToolCatalogue.of(
                    List.of(
                            tool("look", true, false),
                            tool("set", false, true),
                            tool("buy", false, false)));
    private static final Verdict GO = new Await();
    private static final ToolError STOPPED = ToolError.of(ErrorCode.STOPPED, "stopped", null);

    @ParameterizedTest
    @ValueSource(strings = {"look", "set"})
    @DisplayName("runs again when its tool is read-only or idempotent, and is told what others are")
    void harmless(String tool) {
        var call = again("tools/call", tool, true);

        assertThat(call.decide(GO, view(TOOLS, false))).isEqualTo(GO);
        assertThat(call.explain(STOPPED, view(TOOLS, false))).isEqualTo(STOPPED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"buy", "unlisted"})
    @DisplayName("does not run again when its tool is not known to be harmless")
    void harmful(String tool) {
        var call = again("tools/call", tool, true);

        assertUnknown(call.decide(GO, view(TOOLS, false)));
        assertThat(call.explain(STOPPED, view(TOOLS, false)).code())
                .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    @DisplayName("waits until the tools are known, and no longer than they may become known")
    void untilTheToolsAreKnown() {
        var call = again("tools/call", "look", true);
        var wake = new Wake(view(null, false));
        var send = CallGate.decide(view(null, true), null);

        assertThat(call.decide(GO, null)).isEqualTo(GO);
        assertThat(call.decide(wake, view(null, false))).isEqualTo(wake);
        assertThat(call.decide(send, view(null, true))).isInstanceOf(Await.class);
        assertUnknown(call.decide(new Refuse(STOPPED), view(null, false)));
        assertThat(call.explain(STOPPED, null).code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    @DisplayName("waits while the server lists its tools, whose hints may be others by then")
    void untilTheToolsAreListedAgain() {
        var send = send();

        assertThat(again("tools/call", "look", true).decide(send, view(TOOLS, true)))
                .isInstanceOf(Await.class);
        assertThat(again("tools/call", "look", true).decide(send, view(TOOLS, false)))
                .isEqualTo(send);
        assertThat(again("resources/list", null, true).decide(send, view(TOOLS, true)))
                .isEqualTo(send);
        var fresh = new SecondRun(order(null), request("tools/call", "look"), true);
        assertThat(fresh.decide(send, view(TOOLS, true))).isEqualTo(send);
    }

    @SuppressWarnings("NullAway") // Nobody looks at the process.
    private static Verdict send() {
        return new CallGate.Send(null);
    }

    @Test
    @DisplayName("does not run again at all when hints are not trusted")
    void withoutTrust() {
        assertUnknown(again("tools/call", "look", false).decide(GO, view(null, true)));
        assertUnknown(again("tools/call", "look", false).decide(GO, view(TOOLS, false)));
    }

    @Test
    @DisplayName("runs again when it is no call of a tool; a new one runs whatever it is")
    void othersRun() {
        assertThat(again("resources/list", null, false).decide(GO, null)).isEqualTo(GO);
        var fresh = new SecondRun(order(null), request("tools/call", "buy"), false);
        assertThat(fresh.decide(GO, view(TOOLS, false))).isEqualTo(GO);
    }

    private static void assertUnknown(Verdict verdict) {
        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Refuse.class,
                        refusal ->
                                assertThat(refusal.error().code())
                                        .isEqualTo(ErrorCode.OUTCOME_UNKNOWN));
    }

    @Test
    @DisplayName("is sent as such, and a message without the field is a new call")
    void onTheWire() {
        assertThat(new String(Json.write(order(true)), StandardCharsets.UTF_8))
                .contains("\"may_have_run\":true");
        assertThat(Json.read(Json.raw(order(null)), ToolOrder.Execute.class).again()).isFalse();
        assertThat(Json.read(Json.raw(order(true)), ToolOrder.Execute.class).again()).isTrue();
    }

    private static SecondRun again(String method, @Nullable String tool, boolean trustHints) {
        return new SecondRun(order(true), request(method, tool), trustHints);
    }

    private static ServerRequest request(String method, @Nullable String tool) {
        return new ServerRequest(method, RawJson.EMPTY_OBJECT, tool);
    }

    @SuppressWarnings("NullAway") // It does not see that ReplyTo, a nested type, may be null.
    private static ToolOrder.Execute order(@Nullable Boolean mayHaveRun) {
        return new ToolOrder.Execute(
                1,
                new RecordOrigin("mcp.tool-requests", 1, 7),
                null,
                ToolRequest.call("r", "t1", "u1", "slug:x", RawJson.EMPTY_OBJECT, null),
                Instant.EPOCH,
                null,
                null,
                mayHaveRun);
    }

    private static ServerTool tool(String name, boolean readOnly, boolean idempotent) {
        return new ServerTool(
                new DiscoveredTool("slug:" + name, name, null, RawJson.EMPTY_OBJECT, 1, null),
                readOnly,
                idempotent);
    }

    private static View view(@Nullable ToolCatalogue catalogue, boolean discovering) {
        var config =
                ServerConfigBuilder.elsewhere(
                                "i",
                                "slug",
                                new Owner("t1", "acme", "u1", "alice"),
                                TransportType.HTTP,
                                "http://127.0.0.1:1/mcp")
                        .build();
        return new View(
                InstanceIdentity.of(1, 1, config),
                config,
                "hash",
                InstanceState.RUNNING,
                ServerStatus.ONLINE,
                null,
                null,
                false,
                false,
                null,
                View.Presence.HERE,
                1,
                null,
                catalogue,
                Set.of(),
                discovering,
                0,
                null,
                null,
                null);
    }
}
