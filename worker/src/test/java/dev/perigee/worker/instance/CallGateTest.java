package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.worker.egress.LocalEgress;
import dev.perigee.worker.log.LogOptions;
import dev.perigee.worker.mcp.HttpConnections;
import dev.perigee.worker.mcp.HttpOptions;
import dev.perigee.worker.mcp.LineRoom;
import dev.perigee.worker.mcp.McpOptions;
import dev.perigee.worker.mcp.ServerMetrics;
import dev.perigee.worker.secret.Secrets;
import dev.perigee.worker.tool.ToolCatalogue;
import dev.perigee.worker.tool.ToolCatalogue.ServerTool;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("What becomes of a call")
final class CallGateTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final ServerConfig CONFIG =
            ServerConfigBuilder.elsewhere(
                            "i",
                            "slug",
                            new Owner("t1", "acme", "u1", "alice"),
                            TransportType.HTTP,
                            "http://127.0.0.1:1/mcp")
                    .build();
    private static final ToolCatalogue TOOLS =
            ToolCatalogue.of(
                    List.of(
                            new ServerTool(
                                    new DiscoveredTool(
                                            "slug:echo",
                                            "echo",
                                            null,
                                            RawJson.EMPTY_OBJECT,
                                            1,
                                            null),
                                    false,
                                    false)));

    private final HttpConnections connections =
            HttpConnections.open(
                    new HttpOptions(SECOND, SECOND, LocalEgress.POLICY),
                    new LineRoom(ByteBudget.of(1 << 20)));
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final HttpRun run =
            new HttpRun(
                    new HttpCredentials(
                            CONFIG, new InstanceSecrets(Secrets.inFiles(Path.of("none")))),
                    new AccessTokens(new Mailbox(() -> {}), InstantSource.system()),
                    connections,
                    McpOptions.defaults(),
                    new Mailbox(() -> {}),
                    new ServerMetrics(InstantSource.system()),
                    new EgressNotices(new RecordingJournal(), InstantSource.system()),
                    new HttpRun.Messages(
                            LogOptions.defaults(),
                            InstantSource.system(),
                            timers,
                            new RecordingJournal()));

    @AfterEach
    void end() {
        connections.close();
        timers.shutdownNow();
    }

    @Test
    @DisplayName("STA-13: tools are known and no status yet: it passes, and the tools are shown")
    void passesWithoutStatus() {
        var view = view(null);
        assertThat(CallGate.decide(view, "echo")).isEqualTo(new CallGate.Send(run));
        assertThat(view.isAvailable()).isTrue();
        assertThat(CallGate.decide(view, "other"))
                .isInstanceOfSatisfying(
                        CallGate.Refuse.class,
                        refusal ->
                                assertThat(refusal.error().code())
                                        .isEqualTo(ErrorCode.UNKNOWN_TOOL));
    }

    @ParameterizedTest
    @EnumSource(ServerStatus.class)
    @DisplayName(
            "STA-08: is sent, waits or is refused, and its tools are shown, as the status says")
    void goesByTheStatus(ServerStatus status) {
        var verdict = CallGate.decide(view(status), "echo");
        var expected =
                switch (status) {
                    case ONLINE, OFFLINE, ERROR, AWAITING_USER_CONFIG -> CallGate.Send.class;
                    case REQUIRES_REAUTH, PERMANENTLY_FAILED -> CallGate.Refuse.class;
                    case PROVISIONING,
                            COMMAND_RECEIVED,
                            CONNECTING,
                            DISCOVERING_TOOLS,
                            SYNCING_TOOLS,
                            RESTARTING ->
                            CallGate.Await.class;
                };
        assertThat(verdict).isInstanceOf(expected);
        assertThat(view(status).isAvailable()).isEqualTo(status == ServerStatus.ONLINE);
    }

    private View view(@Nullable ServerStatus status) {
        return new View(
                InstanceIdentity.of(1, 1, CONFIG),
                CONFIG,
                "hash",
                InstanceState.RUNNING,
                status,
                null,
                null,
                false,
                false,
                null,
                View.Presence.HERE,
                1,
                run,
                TOOLS,
                Set.of(),
                false,
                0,
                null,
                null,
                null);
    }
}
