package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.COMMAND_RECEIVED;
import static dev.perigee.protocol.event.ServerStatus.CONNECTING;
import static dev.perigee.protocol.event.ServerStatus.DISCOVERING_TOOLS;
import static dev.perigee.protocol.event.ServerStatus.ERROR;
import static dev.perigee.protocol.event.ServerStatus.OFFLINE;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static dev.perigee.protocol.event.ServerStatus.REQUIRES_REAUTH;
import static dev.perigee.protocol.event.ServerStatus.SYNCING_TOOLS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandAction.Check;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.worker.mcp.HttpFixture;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A server over HTTP")
final class HttpInstanceTest {
    private static final Map<String, String> ECHO = Map.of("message", "hi");

    private final InstanceBench bench = new InstanceBench(Map.of("retry.delays", "20ms,40ms"));
    private HttpFixture server;

    @BeforeEach
    void start() throws Exception {
        server = HttpFixture.start();
    }

    @AfterEach
    void end() {
        bench.close();
        server.close();
    }

    @Test
    @DisplayName("STA-02: is installed as any other, and its tools are called")
    void installs() {
        var config = config("a", Map.of());

        var outcome = bench.configure(config);

        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        var journal = bench.journal(config);
        assertThat(journal.statuses())
                .containsExactly(
                        COMMAND_RECEIVED, CONNECTING, DISCOVERING_TOOLS, SYNCING_TOOLS, ONLINE);
        assertThat(journal.all(EventBody.Started.class).getFirst().transport()).isEqualTo("http");
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
        assertThat(bench.snapshot(config).pid()).isNull();
    }

    @ParameterizedTest
    @DisplayName("STA-37: that cannot be used when it is installed has the status that says why")
    @CsvSource({
        "'{''mode'':''refuse''}', OFFLINE, Server unreachable",
        "'{''mode'':''status'',''status'':500}', ERROR, 500",
        "'{''mode'':''status'',''status'':401}', REQUIRES_REAUTH, Authentication failed (HTTP 401)",
        "'{''mode'':''status'',''status'':403}', REQUIRES_REAUTH, Access forbidden (HTTP 403)",
    })
    void failsToInstall(String order, ServerStatus status, String message) throws Exception {
        server.order(order);
        var config = config("a", Map.of());

        var outcome = bench.configure(config);

        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.FAILED);
        assertThat(outcome.details())
                .satisfies(details -> assertThat(details.resultingStatus()).isEqualTo(status));
        assertThat(last(config).statusMessage()).contains(message);
    }

    @Test
    @DisplayName("STA-04, STA-20, REC-02, REC-03, REC-09: comes back by a call that gets through")
    void recovers() throws Exception {
        var config = online();
        server.order("{'mode':'refuse'}");
        var down = bench.call(config, "echo", ECHO);
        assertThat(down.error())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVER_UNREACHABLE));
        assertThat(down.attempts()).isEqualTo(3);
        awaitStatus(config, OFFLINE);
        assertThat(last(config).statusMessage()).isEqualTo("Server unreachable");

        server.order("{'mode':'ok'}");
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");

        awaitStatus(config, ONLINE);
        assertThat(since(config, OFFLINE))
                .extracting(StatusChanged::status)
                .containsExactly(OFFLINE, CONNECTING, DISCOVERING_TOOLS, ONLINE);
        assertThat(since(config, OFFLINE).get(1).statusMessage())
                .isEqualTo("Server recovered, re-discovering tools");
    }

    @Test
    @DisplayName("STA-05, STA-21, REC-04, REC-29: and so after an error of its own")
    void recoversFromErrors() throws Exception {
        var config = online();
        server.order("{'mode':'status','status':500,'only':'tools/call'}");
        assertThat(bench.call(config, "echo", ECHO).outcome()).isEqualTo(ToolOutcome.FAILED);
        awaitStatus(config, ERROR);

        server.order("{'mode':'ok'}");
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
        awaitStatus(config, ONLINE);
    }

    @Test
    @DisplayName("STA-06, STA-18, STA-31, REC-06, REC-25, REC-51: waits for its user after a 401")
    void waitsForItsUser() throws Exception {
        var config = online();
        server.order("{'token':'secret-token','reset':true}");
        var refused = bench.call(config, "echo", ECHO);
        assertThat(refused.error())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.REQUIRES_REAUTH));
        assertThat(refused.attempts()).isEqualTo(1);
        awaitStatus(config, REQUIRES_REAUTH);
        int asked = server.count("tools/call");

        server.order("{'token':null}");
        var blocked = bench.call(config, "echo", ECHO);
        assertThat(blocked.error())
                .satisfies(e -> assertThat(e.message()).contains("Status: requires_reauth"));
        assertThat(server.count("tools/call")).isEqualTo(asked);

        server.order("{'token':'secret-token'}");
        var header = Map.of("Authorization", "Bearer secret-token");
        assertThat(bench.apply(config("a", header), Cause.UPDATED).outcome())
                .isEqualTo(CommandOutcome.COMPLETED);
        assertThat(since(config, REQUIRES_REAUTH))
                .extracting(StatusChanged::status)
                .containsExactly(REQUIRES_REAUTH, CONNECTING, DISCOVERING_TOOLS, ONLINE);
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
    }

    @Test
    @DisplayName("STA-06: waits for its user also when its tools were being listed anew meanwhile")
    void refusedWhileListing() throws Exception {
        var config = online();
        server.order("{'delay':{'tools/list':60000},'reset':true}");
        var moved = config("a", server.url() + "?moved", Map.of());
        bench.apply(moved, Cause.UPDATED);
        await().atMost(InstanceBench.PATIENCE).until(() -> server.count("tools/list") == 1);

        server.order("{'token':'secret-token'}");
        bench.call(config, "echo", ECHO);
        awaitStatus(config, REQUIRES_REAUTH);

        server.order("{'delay':{},'reset':true}");
        bench.apply(
                config("a", server.url(), Map.of("Authorization", "Bearer secret-token")),
                Cause.UPDATED);
        assertThat(since(config, REQUIRES_REAUTH))
                .extracting(StatusChanged::status)
                .containsExactly(REQUIRES_REAUTH, CONNECTING, DISCOVERING_TOOLS, ONLINE);
    }

    @Test
    @DisplayName("PRO-73: uses a new configuration from the next request on, without a restart")
    void takesAConfigurationOver() throws Exception {
        var config = online();
        var statuses = bench.journal(config).statuses().size();

        bench.apply(config("a", Map.of("X-Tenant", "tenant-2")), Cause.UPDATED);
        server.order("{'reset':true}");
        bench.text(config, "echo", ECHO);

        assertThat(server.seen().path("headers").get(0).path("x-tenant").asString())
                .isEqualTo("tenant-2");
        assertThat(server.count("initialize")).isZero();
        assertThat(bench.journal(config).statuses()).hasSize(statuses);
    }

    @Test
    @DisplayName("PRO-73: does so over SSE too, in the same session")
    void takesAConfigurationOverWithSse() throws Exception {
        try (var sse = HttpFixture.start("--sse")) {
            var config = config("s", TransportType.SSE, sse.url(), Map.of());
            assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
            var statuses = bench.journal(config).statuses().size();

            var next = Map.of("X-Tenant", "tenant-2");
            bench.apply(config("s", TransportType.SSE, sse.url(), next), Cause.UPDATED);
            sse.order("{'reset':true}");
            assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");

            assertThat(sse.seen().path("headers").get(0).path("x-tenant").asString())
                    .isEqualTo("tenant-2");
            assertThat(sse.count("initialize")).isZero();
            assertThat(sse.seen().path("gets")).isEmpty();
            assertThat(bench.journal(config).statuses()).hasSize(statuses);
            bench.settle(bench.instances.remove(bench.order(config.processId())));
        }
    }

    @Test
    @DisplayName("REC-11, REC-16: is looked at again when the backend says that it recovered")
    void recoversByCommand() throws Exception {
        var config = online();
        server.order("{'mode':'refuse'}");
        bench.call(config, "echo", ECHO);
        awaitStatus(config, OFFLINE);

        var still = bench.settle(bench.instances.recover(bench.order(config.processId())));
        assertThat(still.outcome()).isEqualTo(CommandOutcome.FAILED);
        assertThat(still.details())
                .satisfies(details -> assertThat(details.resultingStatus()).isEqualTo(OFFLINE));

        server.order("{'mode':'ok'}");
        var back = bench.settle(bench.instances.recover(bench.order(config.processId())));
        assertThat(back.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.snapshot(config).status()).isEqualTo(ONLINE);
    }

    @Test
    @DisplayName("STA-32 to STA-35: is checked, and its credentials too")
    void isChecked() throws Exception {
        var config = online();
        var well = check(config, Check.CONNECTIVITY);
        assertThat(well.details())
                .satisfies(
                        details -> {
                            assertThat(details.health()).isEqualTo("healthy");
                            assertThat(details.responseTimeMs()).isNotNull();
                        });
        assertThat(check(config, Check.CREDENTIAL_VALIDATION).details())
                .satisfies(details -> assertThat(details.valid()).isTrue());
        assertThat(bench.snapshot(config).status()).isEqualTo(ONLINE);

        server.order("{'mode':'refuse'}");
        assertThat(check(config, Check.CONNECTIVITY).details())
                .satisfies(details -> assertThat(details.health()).isEqualTo("unhealthy"));
        assertThat(bench.snapshot(config).status()).isEqualTo(OFFLINE);

        server.order("{'mode':'ok','token':'another-token'}");
        assertThat(check(config, Check.CREDENTIAL_VALIDATION).details())
                .satisfies(details -> assertThat(details.valid()).isFalse());
        assertThat(bench.snapshot(config).status()).isEqualTo(REQUIRES_REAUTH);
    }

    @Test
    @DisplayName(
            "REC-07, REC-34, REC-35: is asked for its tools once per return, behind the answer")
    void discoversOnce() throws Exception {
        var config = online();
        for (int outage = 0; outage < 2; outage++) {
            server.order("{'mode':'refuse'}");
            bench.call(config, "echo", ECHO);
            awaitStatus(config, OFFLINE);
            server.order("{'mode':'ok','hold':['tools/call','tools/list'],'reset':true}");

            var orders =
                    List.of(
                            bench.request(
                                    config, "tools/call", config.serverSlug() + ":echo", ECHO),
                            bench.request(
                                    config, "tools/call", config.serverSlug() + ":echo", ECHO),
                            bench.request(
                                    config, "tools/call", config.serverSlug() + ":echo", ECHO));
            orders.forEach(bench.instances::execute);
            await().atMost(InstanceBench.PATIENCE).until(() -> server.count("tools/call") == 3);
            server.order("{'hold':['tools/list']}");
            for (var order : orders) {
                assertThat(bench.result(order).outcome()).isEqualTo(ToolOutcome.SUCCESS);
            }
            assertThat(bench.snapshot(config).status()).isNotEqualTo(ONLINE);
            server.order("{'hold':[]}");

            awaitStatus(config, ONLINE);
            assertThat(server.count("tools/list")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("REC-08, REC-37, REC-38: keeps its tools until it lists others")
    void keepsItsTools() throws Exception {
        var config = online();
        var tools = bench.snapshot(config).tools();
        server.order("{'mode':'refuse'}");
        bench.call(config, "echo", ECHO);
        awaitStatus(config, OFFLINE);

        server.order("{'mode':'status','status':500,'only':'tools/list'}");
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
        awaitStatus(config, ERROR);
        assertThat(bench.snapshot(config).tools()).isEqualTo(tools);

        server.order("{'mode':'ok','tools':['echo','added']}");
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
        awaitStatus(config, ONLINE);
        assertThat(bench.snapshot(config).tools())
                .extracting(EventBody.DiscoveredTool::toolName)
                .containsExactly("echo", "added");
    }

    @Test
    @DisplayName("REC-31: an application's error says nothing about the server")
    void passesErrorsOn() {
        var config = online();
        assertThat(bench.call(config, "tool_error", Map.of()).outcome())
                .isEqualTo(ToolOutcome.TOOL_ERROR);
        var error = bench.call(config, "rpc_error", Map.of("message", "not today"));
        assertThat(error.error()).satisfies(e -> assertThat(e.message()).contains("not today"));
        assertThat(error.attempts()).isEqualTo(1);
        assertThat(bench.snapshot(config).status()).isEqualTo(ONLINE);
    }

    @Test
    @DisplayName("CAL-14: tools that change while the stream of its messages is cut are found")
    void findsWhatItMissed() throws Exception {
        var config = online();
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> server.seen().path("streams").asInt() == 1);

        server.order("{'tools':['echo','added'],'cut':true,'reset':true}");

        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).tools().size() == 2);
        assertThat(server.count("tools/list")).isEqualTo(1);
        assertThat(bench.journal(config).statuses()).hasSize(5);
    }

    private ServerConfig config(String id, Map<String, String> headers) {
        return config(id, server.url(), headers);
    }

    private static ServerConfig config(String id, String url, Map<String, String> headers) {
        return config(id, TransportType.HTTP, url, headers);
    }

    private static ServerConfig config(
            String id, TransportType transport, String url, Map<String, String> headers) {
        return ServerConfigBuilder.elsewhere(
                        id, "slug-" + id, new Owner("t1", "acme", "u1", "alice"), transport, url)
                .installationName("name-" + id)
                .headers(headers)
                .build();
    }

    private ServerConfig online() {
        var config = config("a", Map.of());
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        return config;
    }

    private InstanceOrder.Outcome check(ServerConfig config, Check check) {
        return bench.settle(
                bench.instances.checkHealth(
                        new InstanceOrder.HealthCheck(bench.order(config.processId()), check)));
    }

    private void awaitStatus(ServerConfig config, ServerStatus status) {
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == status);
    }

    private StatusChanged last(ServerConfig config) {
        return bench.journal(config).all(StatusChanged.class).getLast();
    }

    /** From the last time that the status was this one. */
    private List<StatusChanged> since(ServerConfig config, ServerStatus status) {
        var all = bench.journal(config).all(StatusChanged.class);
        int from = all.size() - 1;
        while (all.get(from).status() != status) {
            from--;
        }
        return all.subList(from, all.size());
    }
}
