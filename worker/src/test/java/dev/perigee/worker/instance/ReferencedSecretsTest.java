package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import dev.perigee.worker.mcp.HttpFixture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("OPS-13: servers whose secrets are given by reference")
final class ReferencedSecretsTest {
    private static final String NAME = "TEST_VALUE";

    @TempDir private Path directory;
    private InstanceBench bench;

    @BeforeEach
    void start() {
        bench =
                new InstanceBench(
                        Map.of(
                                "secrets.directory",
                                directory.toString(),
                                "retry.delays",
                                "20ms,40ms"));
    }

    @AfterEach
    void end() {
        bench.close();
    }

    private void secret(String user, String name, String value) throws Exception {
        var file = directory.resolve("t1").resolve(user).resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, value + "\n");
    }

    /** With values of a program, which are reused for an hour, and what else is set. */
    private void byCommand(String... more) throws Exception {
        bench.close();
        var program = directory.resolve("provider");
        Files.writeString(program, "#!/bin/sh\nexec cat \"%s/$1/$2/$3\"\n".formatted(directory));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        var settings =
                new HashMap<>(
                        Map.of(
                                "secrets.provider", "command",
                                "secrets.command", program.toString(),
                                "secrets.command-reuse", "1h",
                                "retry.delays", "20ms,40ms"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        bench = new InstanceBench(settings);
    }

    private static ServerConfig elsewhere(HttpFixture server) {
        return ServerConfigBuilder.elsewhere(
                        "h",
                        "slug-h",
                        new Owner("t1", "acme", InstanceBench.USER, "alice"),
                        TransportType.HTTP,
                        server.url())
                .headers(Map.of("Authorization", SecretReference.to("token")))
                .build();
    }

    private void awaitStatus(ServerConfig config, ServerStatus status) {
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == status);
    }

    private String echo(ServerConfig config) {
        return bench.text(config, "echo", Map.of("message", "hi"));
    }

    /** Installed with its first token, which the server then takes no more. */
    private ServerConfig refused(HttpFixture server) throws Exception {
        secret(InstanceBench.USER, "token", "Bearer first-token");
        server.order("{'token':'first-token'}");
        var config = elsewhere(server);
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(echo(config)).isEqualTo("hi");
        server.order("{'token':'second-token'}");
        return config;
    }

    private static ServerConfig server(String id, String reference, String... flags) {
        return InstanceBench.server(id, Map.of(NAME, SecretReference.to(reference)), flags);
    }

    private String value(ServerConfig config) {
        return bench.text(config, "env", Map.of("name", NAME));
    }

    private Outcome restart(ServerConfig config) {
        return bench.settle(bench.instances.restart(bench.order(config.processId())));
    }

    @Test
    @DisplayName("have them in their environment, and a restart brings what is newer")
    void resolvesAtEachStart() throws Exception {
        secret(InstanceBench.USER, "key", "first-value");
        var config = server("a", "key");
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(value(config)).isEqualTo("first-value");
        long pid = bench.pid(config);

        secret(InstanceBench.USER, "key", "second-value");
        assertThat(bench.apply(config, Cause.UPDATED).outcome())
                .isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.pid(config))
                .as("rotation is no change of the configuration")
                .isEqualTo(pid);
        assertThat(value(config)).isEqualTo("first-value");

        assertThat(restart(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(value(config)).isEqualTo("second-value");
    }

    private String told(ServerConfig config) {
        return new String(
                Json.write(List.copyOf(bench.journal(config).events)), StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("have what they say masked, as of plain secrets")
    void masks() throws Exception {
        secret(InstanceBench.USER, "key", "very-secret");
        var dying = server("d", "key", "--die", "cannot use very-secret");

        var outcome = bench.configure(dying);

        assertThat(Objects.requireNonNull(outcome.error()).message())
                .contains("cannot use ***")
                .doesNotContain("very-secret");
        var config = server("a", "key");
        bench.configure(config);
        bench.text(config, "stderr", Map.of("text", "it is very-secret\n"));
        await().atMost(InstanceBench.PATIENCE).until(() -> told(config).contains("it is ***"));
        assertThat(told(config) + told(dying)).doesNotContain("very-secret");
        assertThat(String.valueOf(bench.journal(config).durable)).doesNotContain("very-secret");
        assertThat(bench.snapshot(config).toString()).doesNotContain("very-secret");
    }

    @Test
    @DisplayName("are not started without, which is no crash, and are with the next call")
    void missing() throws Exception {
        secret("u2", "key", "another's");
        var config = server("a", "key");

        var outcome = bench.configure(config);

        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.FAILED);
        var error = Objects.requireNonNull(outcome.error());
        assertThat(error.code()).isEqualTo("spawn_failed");
        assertThat(error.message()).contains("The secret 'key' cannot be had");
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ERROR);
        for (int i = 0; i < 4; i++) {
            bench.call(config, "echo", Map.of("message", "hi"));
        }
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ERROR);

        secret(InstanceBench.USER, "key", "now-there");
        awaitValue(config, "now-there");
    }

    /** A failure is kept for a moment, in which calls do not start it. */
    private void awaitValue(ServerConfig config, String expected) {
        var arguments = Map.of("name", NAME);
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.call(config, "env", arguments).error() == null);
        assertThat(value(config)).isEqualTo(expected);
    }

    @Test
    @DisplayName("are started by an order at once when a secret is there that was missing")
    void ordersAskAnew() throws Exception {
        var config = server("a", "key");
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.FAILED);

        secret(InstanceBench.USER, "key", "now-there");
        assertThat(restart(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(value(config)).isEqualTo("now-there");
    }

    @Test
    @DisplayName("have what they were started with before masked, after a restart as well")
    void masksFormerValues() throws Exception {
        secret(InstanceBench.USER, "key", "first-value");
        var config = server("a", "key");
        bench.configure(config);
        secret(InstanceBench.USER, "key", "second-value");
        restart(config);

        bench.text(config, "stderr", Map.of("text", "now first-value second-value\n"));

        await().atMost(InstanceBench.PATIENCE).until(() -> told(config).contains("now *** ***"));
        assertThat(told(config)).doesNotContain("first-value").doesNotContain("second-value");
    }

    @Test
    @DisplayName("that crash while a secret is away are started when it is back and a call comes")
    void crashesMeanwhile() throws Exception {
        secret(InstanceBench.USER, "key", "first-value");
        var config = server("a", "key");
        bench.configure(config);
        Files.delete(directory.resolve("t1/u1/key"));

        bench.call(config, "crash", Map.of("code", 3));
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == ServerStatus.ERROR);

        secret(InstanceBench.USER, "key", "second-value");
        awaitValue(config, "second-value");
    }

    @Test
    @DisplayName("over HTTP have a value asked for that is newer than what is refused and reused")
    void renewsPastTheReuse() throws Exception {
        byCommand();
        try (var server = HttpFixture.start()) {
            var config = refused(server);
            int statuses = bench.journal(config).statuses().size();

            secret(InstanceBench.USER, "token", "Bearer second-token");
            assertThat(echo(config)).isEqualTo("hi");

            assertThat(bench.journal(config).statuses()).hasSize(statuses);
        }
    }

    @Test
    @DisplayName(
            "over HTTP that wait for their user are connected when a call comes after a rotation")
    void connectsForACallAfterARotation() throws Exception {
        byCommand();
        try (var server = HttpFixture.start()) {
            var config = refused(server);
            bench.call(config, "echo", Map.of("message", "hi"));
            awaitStatus(config, ServerStatus.REQUIRES_REAUTH);
            bench.call(config, "echo", Map.of("message", "hi"));

            secret(InstanceBench.USER, "token", "Bearer second-token");
            await().atMost(InstanceBench.PATIENCE)
                    .until(
                            () ->
                                    bench.call(config, "echo", Map.of("message", "hi")).error()
                                            == null);
            awaitStatus(config, ServerStatus.ONLINE);
        }
    }

    @Test
    @DisplayName("over HTTP that wait for their user are connected after a rotation without a call")
    void connectsByItselfAfterARotation() throws Exception {
        byCommand("health.probe-interval", "200ms", "secrets.command-reuse", "0");
        try (var server = HttpFixture.start()) {
            var config = refused(server);
            bench.call(config, "echo", Map.of("message", "hi"));
            awaitStatus(config, ServerStatus.REQUIRES_REAUTH);

            secret(InstanceBench.USER, "token", "Bearer second-token");
            awaitStatus(config, ServerStatus.ONLINE);
            assertThat(echo(config)).isEqualTo("hi");
        }
    }

    @Test
    @DisplayName(
            "over HTTP that wait for their user are connected by a configuration that is equal")
    void connectsForAnEqualConfiguration() throws Exception {
        byCommand("health.probe-interval", "0");
        try (var server = HttpFixture.start()) {
            var config = refused(server);
            bench.call(config, "echo", Map.of("message", "hi"));
            awaitStatus(config, ServerStatus.REQUIRES_REAUTH);

            server.order("{'token':'first-token'}");
            assertThat(bench.apply(config, Cause.UPDATED).outcome())
                    .isEqualTo(CommandOutcome.COMPLETED);
            assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ONLINE);
            assertThat(echo(config)).isEqualTo("hi");
        }
    }

    @Test
    @DisplayName("over HTTP send what is newest with streams that are opened again")
    void renewsForStreams() throws Exception {
        secret(InstanceBench.USER, "token", "Bearer first-token");
        try (var server = HttpFixture.start()) {
            var config = elsewhere(server);
            bench.configure(config);
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> server.seen().path("streams").asInt() == 1);
            int opened = server.seen().path("gets").size();

            secret(InstanceBench.USER, "token", "Bearer second-token");
            server.order("{'token':'second-token','cut':true}");

            await().atMost(InstanceBench.PATIENCE)
                    .until(
                            () ->
                                    server.seen().path("gets").size() > opened
                                            && server.seen().path("streams").asInt() == 1);
            assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ONLINE);
        }
    }

    @Test
    @DisplayName("over HTTP send what is newest with each request")
    void renewsForEachRequest() throws Exception {
        secret(InstanceBench.USER, "token", "Bearer first-token");
        try (var server = HttpFixture.start()) {
            server.order("{'token':'first-token'}");
            var config = elsewhere(server);
            assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");

            secret(InstanceBench.USER, "token", "Bearer second-token");
            server.order("{'token':'second-token'}");
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");

            Files.delete(directory.resolve("t1/u1/token"));
            var refused = bench.call(config, "echo", Map.of("message", "hi"));
            assertThat(Objects.requireNonNull(refused.error()).message())
                    .contains("The secret 'token' cannot be had");
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> bench.snapshot(config).status() == ServerStatus.ERROR);

            secret(InstanceBench.USER, "token", "Bearer second-token");
            await().atMost(InstanceBench.PATIENCE)
                    .until(
                            () ->
                                    bench.call(config, "echo", Map.of("message", "hi")).error()
                                            == null);
            awaitStatus(config, ServerStatus.ONLINE);
        }
    }

    @Test
    @DisplayName("have packages prepared ahead of a move without secrets, or at their start")
    void preparedWithoutSecrets() {
        var reference = SecretReference.to("key");

        var program =
                LaunchPlan.withoutSecrets(
                        InstanceBench.server("a", Map.of("KEY", reference, "A", "b")));
        assertThat(Objects.requireNonNull(program).environment()).isEqualTo(Map.of("A", "b"));
        for (var name :
                List.of("NPM_CONFIG__AUTH", "npm-config-x", "UV_INDEX_URL", "HTTPS_PROXY")) {
            assertThat(
                            LaunchPlan.withoutSecrets(
                                    InstanceBench.server("a", Map.of(name, reference))))
                    .as(name)
                    .isNull();
        }
    }
}
