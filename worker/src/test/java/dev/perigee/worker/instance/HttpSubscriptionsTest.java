package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.ListChanged;
import dev.perigee.protocol.event.EventBody.ResourceUpdated;
import dev.perigee.protocol.event.EventBody.Subscriptions;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.worker.mcp.HttpFixture;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("CAL-09: subscriptions of a server over HTTP")
final class HttpSubscriptionsTest {
    private static final String URI = "x://one";
    private static final String UPDATED =
            "{'send':{'jsonrpc':'2.0','method':'notifications/resources/updated','params':{'uri':'x://one'}}}";

    private final InstanceBench bench = new InstanceBench(Map.of("retry.delays", "20ms,40ms"));

    @AfterEach
    void end() {
        bench.close();
    }

    private static ServerConfig config(HttpFixture server, TransportType transport) {
        return ServerConfigBuilder.elsewhere(
                        "h",
                        "slug-h",
                        new Owner("t1", "acme", InstanceBench.USER, "alice"),
                        transport,
                        server.url())
                .installationName("name-h")
                .build();
    }

    private ToolResult ask(ServerConfig config, String method, String uri) {
        var path = config.serverSlug() + "|" + uri;
        return bench.perform(bench.request(config, "resources/" + method, path, null));
    }

    private void subscribe(ServerConfig config) {
        var result = ask(config, "subscribe", URI);
        assertThat(result.outcome()).as(String.valueOf(result)).isEqualTo(ToolOutcome.SUCCESS);
    }

    private int updates(ServerConfig config) {
        return bench.journal(config).all(ResourceUpdated.class).size();
    }

    private long renewals(ServerConfig config) {
        return bench.journal(config).all(Subscriptions.class).stream()
                .filter(each -> each.change().equals(Subscriptions.RENEWED))
                .filter(each -> each.refused() == null)
                .count();
    }

    private void awaitRenewed(ServerConfig config, int times) {
        await().atMost(InstanceBench.PATIENCE).until(() -> renewals(config) >= times);
    }

    /** The server sends it on its streams, of which there may be none at that moment. */
    private void awaitUpdate(HttpFixture server, ServerConfig config) {
        int before = updates(config);
        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () -> {
                            server.order(UPDATED);
                            return updates(config) > before;
                        });
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP", "SSE"})
    @DisplayName("a legacy one is asked for them again in each session")
    void legacy(TransportType transport) throws Exception {
        try (var server =
                transport == TransportType.SSE ? HttpFixture.start("--sse") : HttpFixture.start()) {
            var config = config(server, transport);
            bench.configure(config);
            subscribe(config);
            assertThat(server.count("resources/subscribe")).isEqualTo(1);
            awaitUpdate(server, config);

            server.order("{'forget':true}");

            awaitRenewed(config, 1);
            assertThat(server.count("resources/subscribe")).isGreaterThan(1);
            awaitUpdate(server, config);
            assertThat(ask(config, "unsubscribe", URI).outcome()).isEqualTo(ToolOutcome.SUCCESS);
            assertThat(server.count("resources/unsubscribe")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a server at another address hears of none that were its predecessor's")
    void elsewhere() throws Exception {
        try (var server = HttpFixture.start();
                var other = HttpFixture.start()) {
            var config = config(server, TransportType.HTTP);
            bench.configure(config);
            subscribe(config);

            bench.apply(config(other, TransportType.HTTP), Cause.UPDATED);

            await().atMost(InstanceBench.PATIENCE).until(() -> other.count("tools/list") > 0);
            assertThat(bench.journal(config).all(Subscriptions.class).getLast())
                    .isEqualTo(new Subscriptions(Subscriptions.UNSUBSCRIBED, null, 0, null));
            assertThat(DurableState.read(bench.journal(config).durable).subscriptions()).isNull();
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
            assertThat(other.count("resources/subscribe")).isZero();
            assertThat(ask(config, "unsubscribe", URI).outcome()).isEqualTo(ToolOutcome.SUCCESS);
        }
    }

    @Test
    @DisplayName("a modern one is listened to for all, and again when its stream ends")
    void modern() throws Exception {
        try (var server = HttpFixture.start("--modern")) {
            var config = config(server, TransportType.HTTP);
            bench.configure(config);
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> server.count("subscriptions/listen") == 1);

            subscribe(config);
            assertThat(server.count("subscriptions/listen")).isEqualTo(2);
            assertThat(server.count("resources/subscribe")).isZero();
            awaitUpdate(server, config);

            server.order("{'cut':true}");
            awaitRenewed(config, 1);
            awaitUpdate(server, config);

            assertThat(ask(config, "subscribe", "no:such").outcome()).isEqualTo(ToolOutcome.FAILED);
            awaitUpdate(server, config);
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> server.seen().path("streams").asInt(0) == 1);

            assertThat(ask(config, "unsubscribe", URI).outcome()).isEqualTo(ToolOutcome.SUCCESS);
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> server.seen().path("streams").asInt(-1) == 1);
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        }
    }

    @Test
    @DisplayName("a modern one's lists are followed without any, also when its stream ends")
    void listsOfAModernOne() throws Exception {
        try (var server = HttpFixture.start("--modern")) {
            var config = config(server, TransportType.HTTP);
            bench.configure(config);
            awaitChange(server, config);

            int listed = server.count("tools/list");
            server.order("{'cut':true}");
            await().atMost(InstanceBench.PATIENCE).until(() -> server.count("tools/list") > listed);
            awaitChange(server, config);
            assertThat(bench.journal(config).all(Subscriptions.class)).isEmpty();
        }
    }

    private void awaitChange(HttpFixture server, ServerConfig config) {
        int before = bench.journal(config).all(ListChanged.class).size();
        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () -> {
                            server.order(
                                    "{'send':{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}}");
                            return bench.journal(config).all(ListChanged.class).size() > before;
                        });
    }
}
