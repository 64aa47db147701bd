package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.EverythingServer;
import dev.perigee.testing.TokenProxy;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("server-everything over HTTP, called through topics")
@ExtendWith(SharedFleet.class)
final class RealHttpServersTest {

    /** A call that was under way when the server was stopped may have run. */
    private static final Set<String> MAY_END_WITH = Set.of("server_unreachable", "outcome_unknown");

    private static final String HI = "{\"message\":\"hi\"}";

    private final FleetUnderTest fleet;
    private final Backend backend;

    RealHttpServersTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @ParameterizedTest
    @CsvSource({"streamableHttp,http", "sse,sse"})
    @DisplayName("STA-04, STA-09, REC-02: is stopped and started while two users call it")
    void stopsAndStarts(String mode, String transport) throws Exception {
        try (var everything = EverythingServer.started(mode);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var alice = Installation.elsewhere(transport, everything.url().toString());
            var users = List.of(alice, alice.ofUser("bob"));
            users.forEach(backend::install);
            var watches = users.stream().map(user -> StatusWatch.ofOnline(fleet, user)).toList();
            var answers = new CopyOnWriteArrayList<Received>();
            var over = new AtomicBoolean();
            try {
                for (var user : users) {
                    var _ =
                            threads.submit(
                                    () -> {
                                        while (!over.get()) {
                                            answers.add(backend.call(user, "echo", HI));
                                        }
                                    });
                }
                fleet.records()
                        .await(
                                Topic.TOOL_RESULTS,
                                "first answer",
                                r -> r.text("process_id").equals(alice.processId()));
                everything.stop();
                watches.forEach(watch -> watch.await("offline"));
                for (var user : users) {
                    assertThat(tools(user)).isEmpty();
                }
                everything.start();
                watches.forEach(watch -> watch.await("online"));
            } finally {
                over.set(true);
            }

            for (var watch : watches) {
                assertThat(watch.statuses())
                        .containsExactly("offline", "connecting", "discovering_tools", "online");
            }
            for (var user : users) {
                assertThat(tools(user)).contains(user.toolPath("echo"));
                assertThat(backend.text(user, "echo", HI)).isEqualTo("Echo: hi");
            }
            assertThat(answers)
                    .allMatch(
                            answer ->
                                    answer.text("outcome").equals("success")
                                            || MAY_END_WITH.contains(answer.text("error/code")))
                    .anyMatch(answer -> answer.text("outcome").equals("failed"));
            users.forEach(backend::uninstall);
        }
    }

    @ParameterizedTest
    @CsvSource({"streamableHttp,http", "sse,sse"})
    @DisplayName(
            "STA-06, STA-18, STA-31, REC-06, REC-25, REC-51: waits for its user, who has another"
                    + " token")
    void checksTokens(String mode, String transport) throws Exception {
        var first = secret();
        var second = secret();
        try (var everything = EverythingServer.started(mode);
                var proxy = TokenProxy.before(everything.url())) {
            proxy.accept(first);
            var server = Installation.elsewhere(transport, proxy.url());
            var watch = StatusWatch.ofAll(fleet, server);

            var wrong = server.withHeader("Authorization", "Bearer " + second);
            var refused = backend.result(backend.configure(wrong, "mcp_installation_created"));
            assertThat(refused.text("outcome")).as(refused.toString()).isEqualTo("failed");
            assertThat(refused.text("result/resulting_status")).isEqualTo("requires_reauth");
            assertThat(watch.await("requires_reauth").text("status_message"))
                    .isEqualTo("Authentication failed (HTTP 401)");
            assertBlocked(server, proxy);

            update(server.withHeader("Authorization", "Bearer " + first));
            assertThat(backend.text(server, "echo", HI)).isEqualTo("Echo: hi");
            var expiry = watch.after("online");
            assertThat(watch.statuses())
                    .containsExactly(
                            "command_received",
                            "connecting",
                            "requires_reauth",
                            "connecting",
                            "discovering_tools",
                            "syncing_tools",
                            "online");

            // Until then the server is asked for prompts and resources.
            fleet.records()
                    .await(
                            Topic.CATALOG,
                            "catalogue of " + server.processId(),
                            record -> record.key().equals(server.processId()));
            proxy.accept(second);
            assertThat(backend.call(server, "echo", HI).text("error/code"))
                    .isEqualTo("requires_reauth");
            expiry.await("requires_reauth");
            proxy.accept(first, second);
            assertBlocked(server, proxy);

            update(server.withHeader("Authorization", "Bearer " + second));
            assertThat(backend.text(server, "echo", HI)).isEqualTo("Echo: hi");
            assertThat(proxy.requests().getLast().authorization()).isEqualTo("Bearer " + second);
            assertThat(expiry.statusesUntilTheEnd())
                    .containsExactly(
                            "requires_reauth", "connecting", "discovering_tools", "online");
        }
        assertShowsNowhere(first, second);
    }

    @ParameterizedTest
    @CsvSource({"streamableHttp,http", "sse,sse"})
    @DisplayName(
            "Each user's requests carry that user's token and parameters, and nothing shows them")
    void sharesNoTokens(String mode, String transport) throws Exception {
        var tokens = List.of(secret(), secret());
        var key = secret();
        try (var everything = EverythingServer.started(mode);
                var proxy = TokenProxy.before(everything.url())) {
            proxy.accept(tokens.toArray(String[]::new));
            var server = Installation.elsewhere(transport, proxy.url());
            var users =
                    List.of(
                            backend.install(
                                    server.withHeader("Authorization", "Bearer " + tokens.get(0))
                                            .withQueryParameter("api_key", key)),
                            backend.install(
                                    server.ofUser("bob")
                                            .withHeader(
                                                    "Authorization", "Bearer " + tokens.get(1))));
            for (int round = 0; round < 10; round++) {
                var ids =
                        users.stream()
                                .map(
                                        user ->
                                                backend.request(
                                                        user,
                                                        "echo",
                                                        "{\"message\":\"of %s\"}"
                                                                .formatted(user.userId())))
                                .toList();
                assertThat(backend.answers(ids))
                        .extracting(answer -> answer.text("result/content/0/text"))
                        .containsExactly(
                                "Echo: of " + users.get(0).userId(),
                                "Echo: of " + users.get(1).userId());
            }

            var requests = proxy.requests();
            for (var user : users) {
                var token = tokens.get(users.indexOf(user));
                assertThat(requests)
                        .filteredOn(request -> request.body().contains("of " + user.userId()))
                        .hasSize(10)
                        .allMatch(request -> request.authorization().equals("Bearer " + token));
            }
            assertThat(requests)
                    .allMatch(
                            request ->
                                    request.query().contains(key)
                                            == request.authorization().endsWith(tokens.get(0)));
            assertThat(requests.stream().map(TokenProxy.Request::authorization).distinct())
                    .hasSize(2);

            everything.stop();
            proxy.stop();
            users.forEach(user -> backend.call(user, "echo", HI));
            users.forEach(user -> backend.status(user, "offline"));
            users.forEach(backend::uninstall);
        }
        assertShowsNowhere(tokens.get(0), tokens.get(1), key);
    }

    private void update(Installation server) {
        var result = backend.result(backend.configure(server, "mcp_installation_updated"));
        assertThat(result.text("outcome")).as(result.toString()).isEqualTo("completed");
        assertThat(result.text("result/resulting_status")).isEqualTo("online");
    }

    /** A call is answered without asking the server, who may still be answered what it asked. */
    private void assertBlocked(Installation server, TokenProxy proxy) {
        var before = asked(proxy);
        var blocked = backend.call(server, "echo", HI);
        assertThat(blocked.text("error/code")).isEqualTo("requires_reauth");
        assertThat(blocked.text("error/message"))
                .contains("Status: requires_reauth")
                .contains("Unavailable server: " + server.serverSlug());
        assertThat(asked(proxy)).isEqualTo(before);
    }

    /** All but answers. */
    private static List<TokenProxy.Request> asked(TokenProxy proxy) {
        return proxy.requests().stream()
                .filter(request -> !request.body().contains("\"result\""))
                .toList();
    }

    private List<String> tools(Installation user) {
        return backend.ask(user, "tools/list", null)
                .json()
                .at("/result/tools")
                .valueStream()
                .map(tool -> tool.path("tool_path").asString())
                .toList();
    }

    private static String secret() {
        return "s3cret-" + UUID.randomUUID();
    }

    private void assertShowsNowhere(String... secrets) {
        assertThat(fleet.records().matching(r -> showsAny(r.json().toString(), secrets))).isEmpty();
        for (var part : List.of("gateway-1", "worker-1", "worker-2")) {
            assertThat(showsAny(fleet.part(part).output(), secrets)).as(part).isFalse();
        }
    }

    private static boolean showsAny(String text, String... secrets) {
        return Stream.of(secrets).anyMatch(text::contains);
    }
}
