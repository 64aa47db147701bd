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
    private Bench bench;

    @BeforeEach
    void start() {
        bench =
                new Bench(
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

    private static ServerConfig server(String id, String reference, String... flags) {
        return Bench.server(id, Map.of(NAME, SecretReference.to(reference)), flags);
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
        secret(Bench.USER, "key", "first-value");
        var config = server("a", "key");
        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(value(config)).isEqualTo("first-value");
        long pid = bench.pid(config);

        secret(Bench.USER, "key", "second-value");
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
        secret(Bench.USER, "key", "very-secret");
        var dying = server("d", "key", "--die", "cannot use very-secret");

        var outcome = bench.configure(dying);

        assertThat(Objects.requireNonNull(outcome.error()).message())
                .contains("cannot use ***")
                .doesNotContain("very-secret");
        var config = server("a", "key");
        bench.configure(config);
        bench.text(config, "stderr", Map.of("text", "it is very-secret\n"));
        await().atMost(Bench.PATIENCE).until(() -> told(config).contains("it is ***"));
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

        secret(Bench.USER, "key", "now-there");
        assertThat(value(config)).isEqualTo("now-there");
    }

    @Test
    @DisplayName("that crash while a secret is away are started when it is back and a call comes")
    void crashesMeanwhile() throws Exception {
        secret(Bench.USER, "key", "first-value");
        var config = server("a", "key");
        bench.configure(config);
        Files.delete(directory.resolve("t1/u1/key"));

        bench.call(config, "crash", Map.of("code", 3));
        await().atMost(Bench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == ServerStatus.ERROR);

        secret(Bench.USER, "key", "second-value");
        assertThat(value(config)).isEqualTo("second-value");
    }

    @Test
    @DisplayName("over HTTP send what is newest with each request")
    void renewsForEachRequest() throws Exception {
        secret(Bench.USER, "token", "Bearer first-token");
        try (var server = HttpFixture.start()) {
            server.order("{'token':'first-token'}");
            var config =
                    ServerConfigBuilder.elsewhere(
                                    "h",
                                    "slug-h",
                                    new Owner("t1", "acme", Bench.USER, "alice"),
                                    TransportType.HTTP,
                                    server.url())
                            .headers(Map.of("Authorization", SecretReference.to("token")))
                            .build();
            assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");

            secret(Bench.USER, "token", "Bearer second-token");
            server.order("{'token':'second-token'}");
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");

            Files.delete(directory.resolve("t1/u1/token"));
            var refused = bench.call(config, "echo", Map.of("message", "hi"));
            assertThat(Objects.requireNonNull(refused.error()).message())
                    .contains("The secret 'token' cannot be had");
            await().atMost(Bench.PATIENCE)
                    .until(() -> bench.snapshot(config).status() == ServerStatus.ERROR);

            secret(Bench.USER, "token", "Bearer second-token");
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
            await().atMost(Bench.PATIENCE)
                    .until(() -> bench.snapshot(config).status() == ServerStatus.ONLINE);
        }
    }
}
