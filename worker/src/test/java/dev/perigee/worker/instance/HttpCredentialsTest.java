package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.secret.SecretOptions;
import dev.perigee.worker.secret.Secrets;
import dev.perigee.worker.tool.FailureStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("OPS-13: credentials of a server over HTTP")
final class HttpCredentialsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofHours(1);
    private static final String HEADER = "Authorization";

    private final ProcessLauncher launcher = ProcessLaunchers.create(LauncherOptions.defaults());
    @TempDir private Path directory;

    @AfterEach
    void end() {
        launcher.close();
    }

    /** A provider that counts its runs. */
    private InstanceSecrets provider(String script, Duration reuse) throws Exception {
        var program = directory.resolve("provider");
        var counts = "#!/bin/sh\necho run >> " + directory.resolve("runs") + "\n";
        Files.writeString(program, counts + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        var options = new SecretOptions(directory, program, PATIENCE, 4, reuse);
        return new InstanceSecrets(Secrets.of(options, launcher, new Termination()));
    }

    private InstanceSecrets provider(Duration reuse) throws Exception {
        return provider("exec cat " + directory.resolve("value"), reuse);
    }

    private void value(String next) throws Exception {
        var written = Files.writeString(directory.resolve("next"), next + "\n");
        Files.move(written, directory.resolve("value"), StandardCopyOption.ATOMIC_MOVE);
    }

    private int runs() throws Exception {
        var runs = directory.resolve("runs");
        return Files.exists(runs) ? Files.readAllLines(runs).size() : 0;
    }

    private static ServerConfig config(Map<String, String> headers, Map<String, String> query) {
        return ServerConfigBuilder.elsewhere(
                        "h",
                        "s",
                        new Owner("t1", "t1", "u1", "u1"),
                        TransportType.HTTP,
                        "http://127.0.0.1:1/mcp")
                .headers(headers)
                .urlQueryParams(query)
                .build();
    }

    private static ServerConfig config() {
        return config(Map.of(HEADER, SecretReference.to("token")), Map.of());
    }

    private static long in(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    private static String carried(HttpCredentials credentials) {
        return String.valueOf(credentials.get().headers().get(HEADER));
    }

    private static String renewed(HttpCredentials credentials) throws Exception {
        credentials.renew(in(PATIENCE));
        return carried(credentials);
    }

    private static McpException failure(HttpCredentials credentials, Duration time) {
        return catchThrowableOfType(McpException.class, () -> credentials.renew(in(time)));
    }

    @Test
    @DisplayName("are the last ones until a new configuration is resolved, and never a reference")
    void keepsTheLast() throws Exception {
        value("first");
        var credentials = new HttpCredentials(config(), provider(LONG));
        assertThatThrownBy(credentials::get).isInstanceOf(IllegalStateException.class);
        assertThat(renewed(credentials)).isEqualTo("first");

        value("second");
        var reference = SecretReference.to("other");
        credentials.reconfigure(config(Map.of(HEADER, reference), Map.of("key", reference)));
        assertThat(carried(credentials)).isEqualTo("first");
        assertThat(credentials.get().queryParams()).isEmpty();

        assertThat(renewed(credentials)).isEqualTo("second");
        assertThat(credentials.get().queryParams()).isEqualTo(Map.of("key", "second"));

        credentials.reconfigure(config(Map.of(HEADER, "plain"), Map.of()));
        assertThat(carried(credentials)).isEqualTo("plain");
    }

    @Test
    @DisplayName(
            "go on being asked for when a request has no time left, which is no error of its server")
    void outlivesRequests() throws Exception {
        var gate = directory.resolve("gate");
        var script = "while [ ! -e %s ]; do sleep 0.05; done; echo value".formatted(gate);
        var credentials = new HttpCredentials(config(), provider(script, LONG));

        var late = failure(credentials, Duration.ofMillis(50));
        assertThat(late.sent()).isFalse();
        assertThat(FailureStatus.afterCall(late)).isNull();

        Files.createFile(gate);
        assertThat(renewed(credentials)).isEqualTo("value");
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("are asked for once for all requests that wait, also where each needs the newest")
    void sharesInquiries() throws Exception {
        var credentials =
                new HttpCredentials(config(), provider("sleep 0.5; echo v", Duration.ZERO));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<String>>();
            for (int i = 0; i < 50; i++) {
                all.add(threads.submit(() -> renewed(credentials)));
            }
            for (var each : all) {
                assertThat(each.get()).isEqualTo("v");
            }
        }
        assertThat(runs()).isBetween(1, 10);
    }

    @Test
    @DisplayName("that cannot be had are not asked for over and over")
    void keepsFailures() throws Exception {
        var secrets = provider("exit 3", Duration.ZERO);
        var credentials = new HttpCredentials(config(), secrets);

        for (int i = 0; i < 100; i++) {
            assertThat(failure(credentials, PATIENCE))
                    .hasMessageContaining("The secret 'token' cannot be had");
        }
        assertThat(runs()).isLessThan(50);
        int before = runs();
        var again = new HttpCredentials(config(), secrets);
        assertThat(failure(again, PATIENCE)).hasMessageContaining("cannot be had");
        assertThat(runs()).as("an order asks anew").isEqualTo(before + 1);
    }

    @Test
    @DisplayName("are asked for past their reuse when the server refused them, and differ or not")
    void asksPastARefusal() throws Exception {
        value("first");
        var credentials = new HttpCredentials(config(), provider(LONG));
        assertThat(renewed(credentials)).isEqualTo("first");
        value("second");
        assertThat(renewed(credentials)).as("reused").isEqualTo("first");

        credentials.refused(credentials.get());
        assertThat(renewed(credentials)).isEqualTo("second");
        assertThat(credentials.differ(in(PATIENCE))).isTrue();

        credentials.refused(credentials.get());
        assertThat(credentials.differ(in(PATIENCE))).isFalse();
        value("third");
        credentials.refused(credentials.get());
        assertThat(credentials.differ(in(PATIENCE))).isTrue();
        assertThat(carried(credentials)).isEqualTo("third");
    }

    @Test
    @DisplayName("that stay refused are asked for less and less often past their reuse")
    void boundedPastTheReuse() throws Exception {
        value("first");
        var credentials = new HttpCredentials(config(), provider(LONG));
        assertThat(renewed(credentials)).isEqualTo("first");

        for (int i = 0; i < 50; i++) {
            credentials.refused(credentials.get());
            assertThat(renewed(credentials)).isEqualTo("first");
            assertThat(credentials.differ(in(PATIENCE))).isFalse();
        }
        assertThat(runs()).isLessThan(12);

        value("second");
        credentials.looksAnew();
        assertThat(renewed(credentials)).as("an order asks at once").isEqualTo("second");
        credentials.refused(credentials.get());
        value("third");
        await().atMost(PATIENCE).until(() -> credentials.differ(in(PATIENCE)));
        assertThat(carried(credentials)).isEqualTo("third");
    }

    @Test
    @DisplayName("are those of before while their provider is away, unless the server refuses them")
    void outlivesAnOutage() throws Exception {
        value("first");
        var credentials =
                new HttpCredentials(
                        config(),
                        provider(
                                "[ -e %1$s/away ] && exit 3; exec cat %1$s/value"
                                        .formatted(directory),
                                Duration.ZERO));
        assertThat(renewed(credentials)).isEqualTo("first");

        var away = Files.createFile(directory.resolve("away"));
        for (int i = 0; i < 20; i++) {
            assertThat(renewed(credentials)).isEqualTo("first");
        }
        assertThat(credentials.renewed().get().headers()).containsEntry(HEADER, "first");
        credentials.refused(credentials.get());
        assertThat(failure(credentials, PATIENCE)).hasMessageContaining("cannot be had");

        value("second");
        Files.delete(away);
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> renewed(credentials).equals("second"));
        Files.createFile(away);
        assertThat(renewed(credentials)).isEqualTo("second");
        credentials.reconfigure(config(Map.of(HEADER, SecretReference.to("other")), Map.of()));
        assertThat(failure(credentials, PATIENCE)).hasMessageContaining("cannot be had");
    }

    @Test
    @DisplayName("stay masked over rotations, configurations and restarts")
    void staysMasked() throws Exception {
        var secrets = provider(Duration.ZERO);
        var credentials = new HttpCredentials(config(), secrets);
        var all = new ArrayList<String>();
        for (int i = 0; i < 6; i++) {
            var secret = "very-secret-" + i;
            value("Bearer " + secret);
            assertThat(renewed(credentials)).isEqualTo("Bearer " + secret);
            all.add(secret);
            for (int other = 0; other < 3; other++) {
                var more = Map.of(HEADER, SecretReference.to("token"), "X", "plain" + other);
                credentials.reconfigure(config(more, Map.of()));
            }
        }
        var text = String.join(" ", all);
        assertThat(credentials.mask().apply(text)).doesNotContain("very-secret");

        var restarted = new HttpCredentials(config(), secrets);
        assertThat(restarted.mask().apply(text)).doesNotContain("very-secret");
        assertThat(secrets.mask(List.of()).apply(text)).doesNotContain("very-secret");
    }

    @Test
    @DisplayName("are masked in bounded number, the newest ones")
    void boundedMask() throws Exception {
        var files = directory.resolve("t1").resolve("u1");
        Files.createDirectories(files);
        var secrets = new InstanceSecrets(Secrets.inFiles(directory));
        for (int i = 0; i < InstanceSecrets.MOST_OLD_VALUES + 10; i++) {
            Files.writeString(files.resolve("token"), "very-secret-" + i + "-");
            secrets.resolve(config());
        }
        for (int i = 0; i < 20; i++) {
            secrets.rememberTokens(List.of("access-" + i + "x".repeat(50_000), "refresh-" + i));
        }
        var withTokens = secrets.mask(List.of());
        assertThat(withTokens)
                .hasToString("SecretMask[" + (InstanceSecrets.MOST_OLD_VALUES + 7) + " values]");
        assertThat(withTokens.apply("refresh-17")).isEqualTo("***");
        for (int i = 0; i < 6; i++) {
            secrets.rememberTokens(List.of("t" + i)); // Too short to be masked.
        }

        var mask = secrets.mask(List.of());
        int last = InstanceSecrets.MOST_OLD_VALUES + 9;
        assertThat(mask)
                .hasToString("SecretMask[" + (InstanceSecrets.MOST_OLD_VALUES + 1) + " values]");
        assertThat(mask.apply("very-secret-" + last + "-")).isEqualTo("***");
        assertThat(mask.apply("very-secret-0-")).isEqualTo("very-secret-0-");

        for (int i = 0; i < 4; i++) {
            Files.writeString(files.resolve("token"), i + "x".repeat(40_000));
            secrets.resolve(config());
        }
        var large = secrets.mask(List.of());
        assertThat(large).hasToString("SecretMask[2 values]");
        assertThat(large.apply("3" + "x".repeat(40_000))).isEqualTo("***");
    }
}
