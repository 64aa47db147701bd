package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.OFFLINE;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static dev.perigee.protocol.event.ServerStatus.REQUIRES_REAUTH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.OAuthConfig;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.Authorization;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.worker.mcp.HttpFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A server over HTTP with OAuth tokens")
final class OAuthInstanceTest {
    private static final Map<String, String> ECHO = Map.of("message", "hi");
    private static final List<String> REFRESHED = List.of("refreshing", "granted");

    private final AtomicReference<Duration> later = new AtomicReference<>(Duration.ZERO);
    private final InstanceBench bench =
            new InstanceBench(
                    Map.of("retry.delays", "20ms,40ms"), () -> Instant.now().plus(later.get()));
    private HttpFixture server;
    private TokenEndpoint tokens;

    @BeforeEach
    void start() throws Exception {
        server = HttpFixture.start();
        tokens = new TokenEndpoint();
    }

    @AfterEach
    void end() {
        bench.close();
        server.close();
        tokens.close();
    }

    private ServerConfig config(String access, @Nullable Instant expiresAt) {
        return builder(access, expiresAt).build();
    }

    private ServerConfigBuilder builder(String access, @Nullable Instant expiresAt) {
        return ServerConfigBuilder.elsewhere(
                        "a",
                        "slug-a",
                        new Owner("t1", "acme", InstanceBench.USER, "alice"),
                        TransportType.HTTP,
                        server.url())
                .oauth(
                        new OAuthConfig(
                                access,
                                "refresh-1",
                                expiresAt,
                                tokens.url(),
                                null,
                                "client",
                                null,
                                "https://mcp.example",
                                List.of(),
                                null,
                                null,
                                null));
    }

    private ServerConfig online() throws Exception {
        return online(null);
    }

    private ServerConfig online(@Nullable Instant expiresAt) throws Exception {
        server.order("{'token':'access-1'}");
        var config = config("access-1", expiresAt);
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        return config;
    }

    private List<String> changes(ServerConfig config) {
        return bench.journal(config).all(Authorization.class).stream()
                .map(Authorization::change)
                .toList();
    }

    private void awaitStatus(ServerConfig config, ServerStatus status) {
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.journal(config).statuses().getLast() == status);
    }

    @Test
    @DisplayName("CAL-17: is sent a refused token's successor, which many calls wait for once")
    void refreshesOnce() throws Exception {
        var config = online();
        assertThat(tokens.asked).isEmpty();
        server.order("{'token':'access-2'}");

        var calls =
                IntStream.range(0, 5)
                        .mapToObj(
                                _ ->
                                        bench.request(
                                                config,
                                                "tools/call",
                                                config.serverSlug() + ":echo",
                                                ECHO))
                        .toList();
        calls.forEach(call -> assertThat(bench.instances.execute(call).answered()).isNull());
        assertThat(calls).allSatisfy(call -> assertThat(bench.result(call).error()).isNull());

        assertThat(tokens.asked)
                .singleElement()
                .satisfies(
                        form ->
                                assertThat(form)
                                        .containsEntry("grant_type", "refresh_token")
                                        .containsEntry("refresh_token", "refresh-1")
                                        .containsEntry("client_id", "client")
                                        .containsEntry("resource", "https://mcp.example"));
        assertThat(changes(config)).isEqualTo(REFRESHED);
        assertThat(bench.journal(config).statuses()).endsWith(ONLINE);
        assertThat(bench.journal(config).events.toString())
                .doesNotContain("access-")
                .doesNotContain("refresh-1")
                .doesNotContain("refresh-2");
    }

    @Test
    @DisplayName("CAL-17: is refreshed before its token expires, without a call")
    void refreshesBeforeExpiry() throws Exception {
        var config = config("access-1", Instant.now().plusSeconds(3));

        bench.configure(config);

        await().atMost(InstanceBench.PATIENCE).until(() -> changes(config).equals(REFRESHED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"})
    @DisplayName("CAL-17: may have a token that expires at any time")
    void expiresAtAnyTime(Instant end) throws Exception {
        var config = online(end);
        server.order("{'token':'access-2'}");

        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
        assertThat(changes(config)).isEqualTo(REFRESHED);
    }

    @Test
    @DisplayName("CAL-17: is not refreshed again at once, whatever time its token has")
    void rests() throws Exception {
        tokens.expiresIn = 1;
        var config = online();
        server.order("{'token':'access-2'}");
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");

        later.set(Duration.ofSeconds(10));
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
        assertThat(tokens.asked).hasSize(1);

        tokens.expiresIn = 3600;
        later.set(Duration.ofMinutes(1));
        server.order("{'token':'access-3'}");
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
        assertThat(tokens.asked).hasSize(2);
    }

    @Test
    @DisplayName("CAL-17: keeps the answer of a refresh that a configuration comes in between")
    void isConfiguredMeanwhile() throws Exception {
        var config = online();
        server.order("{'token':'access-2'}");
        var released = new CountDownLatch(1);
        tokens.held = released;
        var call = bench.request(config, "tools/call", config.serverSlug() + ":echo", ECHO);
        assertThat(bench.instances.execute(call).answered()).isNull();
        await().atMost(InstanceBench.PATIENCE).until(() -> tokens.asked.size() == 1);

        var other = builder("access-1", null).installationName("another").build();
        var configured = bench.submit(other, Cause.UPDATED);
        released.countDown();

        assertThat(bench.settle(configured).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.text(other, "echo", ECHO)).isEqualTo("hi");
        assertThat(tokens.asked).hasSize(1);
        assertThat(changes(config)).isEqualTo(REFRESHED);
    }

    @Test
    @DisplayName("CAL-17: no refresh token is sent before that is durable, nor its answer used")
    void waitsForDurability() throws Exception {
        var config = online();
        var journal = bench.journal(config);
        var waiting = new CopyOnWriteArrayList<Runnable>();
        journal.unacknowledged = waiting;
        var durable = new AtomicBoolean();
        var sentWhenDurable = new CopyOnWriteArrayList<Boolean>();
        tokens.whenAsked = () -> sentWhenDurable.add(durable.get());
        server.order("{'token':'not yet'}");
        var call = bench.request(config, "tools/call", config.serverSlug() + ":echo", ECHO);
        assertThat(bench.instances.execute(call).answered()).isNull();

        await().atMost(InstanceBench.PATIENCE).until(() -> waiting.size() == 1);
        durable.set(true);
        waiting.getFirst().run();
        await().atMost(InstanceBench.PATIENCE).until(() -> waiting.size() == 2);
        // What is used too soon is refused, and the call fails.
        server.order("{'token':'access-2'}");
        waiting.getLast().run();

        assertThat(bench.result(call).error()).isNull();
        assertThat(sentWhenDurable).containsExactly(true);
        assertThat(changes(config)).isEqualTo(REFRESHED);
    }

    @ParameterizedTest
    @CsvSource({"400, invalid_grant", "403, invalid_grant", "400, login_required"})
    @DisplayName("CAL-17: waits for its user when no other token is given, which is told before")
    void refused(int status, String error) throws Exception {
        var config = online();
        server.order("{'token':'access-2'}");
        tokens.status = status;
        tokens.body = "{\"error\":\"%s\",\"error_description\":\"refresh-1\"}".formatted(error);

        var refused = bench.call(config, "echo", ECHO);

        assertThat(refused.error())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.REQUIRES_REAUTH));
        awaitStatus(config, REQUIRES_REAUTH);
        var events =
                bench.journal(config).events.stream()
                        .filter(e -> e instanceof Authorization || e instanceof StatusChanged)
                        .toList();
        assertThat(events.get(events.size() - 2))
                .isInstanceOfSatisfying(
                        Authorization.class,
                        failed -> {
                            assertThat(failed.change()).isEqualTo("failed");
                            assertThat(failed.reason())
                                    .contains("HTTP " + status + ", " + error)
                                    .doesNotContain("refresh-1");
                        });
        bench.call(config, "echo", ECHO);
        assertThat(tokens.asked).hasSize(1);

        tokens.status = 200;
        tokens.body = null;
        server.order("{'token':'access-9'}");
        assertThat(bench.apply(config("access-9", null), Cause.UPDATED).outcome())
                .isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.text(config, "echo", ECHO)).isEqualTo("hi");
    }

    @Test
    @DisplayName("CAL-17: waits for its user when the next token is refused, too, asked once")
    void refusedAgain() throws Exception {
        var config = online();
        server.order("{'token':'none of them'}");

        bench.call(config, "echo", ECHO);

        awaitStatus(config, REQUIRES_REAUTH);
        assertThat(changes(config)).containsExactly("refreshing", "granted", "failed");
        assertThat(tokens.asked).hasSize(1);
    }

    @Test
    @DisplayName("CAL-17: is refreshed once more when a token that came by its time is refused")
    void refusedAfterItsTime() throws Exception {
        var config = online(Instant.now().plus(Duration.ofHours(1)));
        server.order("{'token':'access-3'}");
        later.set(Duration.ofHours(2));

        var call = bench.call(config, "echo", ECHO);
        assertThat(call.error())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVER_UNREACHABLE));
        assertThat(tokens.asked).hasSize(1);

        later.set(Duration.ofMinutes(121));
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.call(config, "echo", ECHO).error() == null);
        assertThat(tokens.asked).hasSize(2);
        assertThat(bench.journal(config).statuses()).doesNotContain(REQUIRES_REAUTH);
    }

    @ParameterizedTest
    @CsvSource({"503, ", "404, <html>", "400, {}", "200, <html>"})
    @DisplayName("CAL-17: is unreachable, and not refused, while nobody gives tokens")
    void authorizationServerAway(int status, @Nullable String body) throws Exception {
        var config = online();
        server.order("{'token':'access-2'}");
        tokens.status = status;
        tokens.body = body;

        var call = bench.call(config, "echo", ECHO);
        assertThat(call.error())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVER_UNREACHABLE));
        awaitStatus(config, OFFLINE);

        tokens.status = 200;
        tokens.body = null;
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.call(config, "echo", ECHO).error() == null);
        assertThat(changes(config)).isEqualTo(REFRESHED);
        assertThat(tokens.asked.getLast()).containsEntry("refresh_token", "refresh-1");
    }

    @ParameterizedTest
    @EnumSource(names = {"RESTORED", "UPDATED"})
    @DisplayName("CAL-17: goes on at the next owner with the newest token, not its configuration's")
    void isRestored(Cause cause) throws Exception {
        var config = online();
        server.order("{'token':'access-2'}");
        bench.text(config, "echo", ECHO);
        var durable = bench.journal(config).durable;

        try (var next = new InstanceBench()) {
            next.settle(next.submit(config, cause, false, durable));
            assertThat(next.text(config, "echo", ECHO)).isEqualTo("hi");
            assertThat(tokens.asked).hasSize(1);
        }
    }
}
