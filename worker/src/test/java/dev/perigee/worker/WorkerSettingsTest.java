package dev.perigee.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.InvalidSettingsException;
import dev.perigee.protocol.tls.PemFile;
import dev.perigee.protocol.tls.TlsFiles;
import dev.perigee.worker.admin.WorkerAdminSettings;
import dev.perigee.worker.instance.IdlePolicy;
import dev.perigee.worker.session.LinkServerSettings;
import dev.perigee.worker.session.SessionSettings;
import dev.perigee.worker.session.TlsOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WorkerSettingsTest {
    /** Settings with which jailed servers do not have the host's network. */
    private static final List<String> CLOSED =
            List.of(
                    "isolation.network=policy",
                    "isolation.network=none",
                    "isolation.network=false",
                    "isolation.mode=none");

    /** The least that a worker needs to be told. */
    private static final Map<String, String> UNJAILED = Map.of("isolation.mode", "none");

    @Test
    void hasTheNumbersOfTheDecisions() {
        var settings = WorkerSettings.SCHEMA.read(UNJAILED);
        assertThat(settings.value(SessionSettings.RETENTION)).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.value(LinkServerSettings.HEARTBEAT_INTERVAL))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(WorkerSettings.instances(settings).idle()).isEqualTo(IdlePolicy.defaults());
        assertThat(settings.value(LinkServerSettings.LISTEN))
                .isEqualTo(new HostPort("127.0.0.1", 7070));
        assertThat(settings.value(WorkerAdminSettings.LISTEN).host()).isEqualTo("127.0.0.1");
        assertThat(settings.valueOrNull(LinkServerSettings.TOKEN)).isNull();
        var link = LinkServerSettings.read(settings);
        assertThat(link.pingInterval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(link.pingTimeout()).isEqualTo(Duration.ofSeconds(10));
        var sessions = SessionSettings.read(settings, Duration.ofSeconds(21));
        assertThat(sessions.journalBytes()).isEqualTo(1 << 20);
        assertThat(sessions.journalEntries()).isEqualTo(50_000);
        assertThat(sessions.repeatWindow()).isEqualTo(Duration.ofMinutes(10));
        assertThat(WorkerSettings.terminationLimit(settings)).isEqualTo(Duration.ofSeconds(21));
    }

    @ParameterizedTest
    @CsvSource({
        "/run/secrets/perigee, '', true",
        "/etc/secrets, '', false",
        "/run/../etc/secrets, '', false",
        "/opt/node/secrets, '/opt/node', false",
        "/opt/secrets, '/opt/node', true",
        "/opt/secrets, '/opt/secrets/t1', false",
    })
    @DisplayName("OPS-13: secrets are not kept where jailed servers can read them")
    void hidesSecrets(String directory, String readOnly, boolean starts) {
        secretsIn(directory, readOnly, "/etc/shadow", starts);
    }

    @Test
    @DisplayName("OPS-13: nor where links lead there, and a hidden directory has to exist")
    void hidesSecretsBehindLinks(@TempDir Path any) throws Exception {
        var top = any.toRealPath();
        var seen = Files.createDirectory(top.resolve("seen")).toString();
        var secrets = top.resolve("seen/secrets");
        var link = Files.createSymbolicLink(top.resolve("link"), secrets).toString();
        var other = Files.createSymbolicLink(top.resolve("other"), top.resolve("seen")).toString();

        secretsIn(link, seen, "/etc/shadow", false);
        secretsIn(secrets.toString(), other, "/etc/shadow", false);
        secretsIn(secrets.toString(), seen, secrets.toString(), false);
        Files.createDirectory(secrets);
        secretsIn(link, seen, "/etc/shadow", false);
        secretsIn(secrets.toString(), seen, secrets.toString(), true);
        secretsIn(link, seen, secrets.toString(), true);
        secretsIn(secrets.toString(), seen, link, false);
        secretsIn(top.resolve("apart").toString(), seen, "/etc/shadow", true);
    }

    private static void secretsIn(
            String directory, String readOnly, String hidden, boolean starts) {
        var texts =
                new HashMap<>(
                        Map.of(
                                "link.token", "t",
                                "secrets.directory", directory,
                                "isolation.hidden-paths", hidden,
                                "isolation.read-only-paths", readOnly));
        if (starts) {
            WorkerSettings.SCHEMA.read(texts);
        } else {
            assertThatThrownBy(() -> WorkerSettings.SCHEMA.read(texts))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("secrets.directory");
            texts.put("isolation.mode", "none");
            WorkerSettings.SCHEMA.read(texts);
        }
    }

    @Test
    @DisplayName(
            "OPS-13: a path that jailed servers see and that has the secrets is said with both")
    void secretsBelowAPathThatIsSeen() {
        var texts = Map.of("link.token", "t", "isolation.read-only-paths", "/run");
        assertThatThrownBy(() -> WorkerSettings.SCHEMA.read(texts))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("secrets.directory is /run/secrets/perigee")
                .hasMessageContaining("isolation.read-only-paths")
                .hasMessageContaining("isolation.hidden-paths");
    }

    @Test
    @DisplayName("TEN-16: a worker is closed unless it is for development")
    void isClosedUnlessInDevelopment() {
        var development =
                WorkerSettings.SCHEMA.read(
                        Map.of("worker.mode", "development", "isolation.mode", "none"));
        assertThat(WorkerSettings.debugs(development)).isTrue();
        assertThat(WorkerSettings.instances(development).allowedCommands()).containsExactly("*");
        assertThat(WorkerSettings.caches(development).toString()).endsWith(".cache/perigee");
        var production = WorkerSettings.SCHEMA.read(Map.of("link.token", "t"));
        assertThat(WorkerSettings.isProduction(production)).isTrue();
        assertThat(WorkerSettings.caches(production)).isEqualTo(Path.of("/mcp-cache"));
        assertThat(WorkerSettings.debugs(production)).isFalse();
        assertThat(WorkerSettings.instances(production).allowedCommands())
                .containsExactly("npx", "node", "uvx", "uv", "python", "python3");
        var own =
                WorkerSettings.SCHEMA.read(
                        Map.of(
                                "worker.mode",
                                "production",
                                "link.token",
                                "t",
                                "process.allowed-commands",
                                "deno",
                                "admin.debug",
                                "true"));
        assertThat(WorkerSettings.instances(own).allowedCommands()).containsExactly("deno");
        assertThat(WorkerSettings.debugs(own)).isTrue();
    }

    @Test
    @DisplayName("lets no jailed server pass for a gateway")
    void needsATokenWhereServersReachTheLink() {
        for (var mode : List.of("development", "production")) {
            var onHost = Map.of("worker.mode", mode, "isolation.network", "host");
            assertThatThrownBy(() -> WorkerSettings.SCHEMA.read(onHost))
                    .hasMessageContaining("link.token or link.tls.client-ca must be set")
                    .hasMessageContaining("link.token-file");
        }
        var open = Map.of("isolation.network", "host");
        for (var closed : CLOSED) {
            var all = new HashMap<>(open);
            all.put(closed.split("=", 2)[0], closed.split("=", 2)[1]);
            assertThat(WorkerSettings.SCHEMA.read(all)).isNotNull();
        }
        var mutual = new HashMap<>(open);
        mutual.put("link.tls.certificate", "worker.pem");
        mutual.put("link.tls.key", "worker.key");
        mutual.put("link.tls.client-ca", "gateways.pem");
        assertThat(WorkerSettings.SCHEMA.read(mutual)).isNotNull();
    }

    @Test
    @DisplayName("shows the admin pages to no jailed server that reaches them")
    void needsATokenWhereServersReachTheAdminPages() {
        var production =
                Map.of("worker.mode", "production", "link.token", "t", "isolation.network", "true");
        assertThat(refusal(production)).isNotNull();
        for (var closed : CLOSED) {
            var all = new HashMap<>(production);
            all.put(closed.split("=", 2)[0], closed.split("=", 2)[1]);
            assertThat(refusal(all)).isNull();
        }
        var development =
                Map.of(
                        "worker.mode",
                        "development",
                        "link.token",
                        "t",
                        "isolation.network",
                        "host");
        assertThat(refusal(development)).isNotNull();
        assertThatThrownBy(
                        () ->
                                WorkerSettings.SCHEMA.read(
                                        Map.of("admin.listen", "0.0.0.0:7071", "link.token", "t")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("admin.token must be set");
    }

    private static AdminAccess.@Nullable Refusal refusal(Map<String, String> texts) {
        return WorkerSettings.adminAccess(WorkerSettings.SCHEMA.read(texts))
                .refusal(name -> name.equals("Host") ? "localhost:7071" : null);
    }

    @Test
    void neverShowsTheToken() {
        var settings = WorkerSettings.SCHEMA.read(Map.of("link.token", "s3cret"));
        assertThat(settings.toString()).doesNotContain("s3cret");
        assertThat(LinkServerSettings.read(settings).toString()).doesNotContain("s3cret");
    }

    @Test
    void readsTls() {
        assertThat(LinkServerSettings.read(WorkerSettings.SCHEMA.read(UNJAILED)).tls()).isNull();
        var texts =
                Map.of(
                        "link.tls.certificate",
                        "/tls/tls.crt",
                        "link.tls.key",
                        "/tls/tls.key",
                        "link.tls.client-ca",
                        "/tls/ca.crt",
                        "link.tls.reload-interval",
                        "3s");
        assertThat(LinkServerSettings.read(WorkerSettings.SCHEMA.read(texts)).tls())
                .isEqualTo(
                        new TlsOptions(
                                new TlsFiles(
                                        new PemFile(
                                                "link.tls.certificate", Path.of("/tls/tls.crt")),
                                        new PemFile("link.tls.key", Path.of("/tls/tls.key")),
                                        new PemFile("link.tls.client-ca", Path.of("/tls/ca.crt"))),
                                Duration.ofSeconds(3)));
    }

    @ParameterizedTest
    @CsvSource({
        "link.tls.certificate, link.tls.key",
        "link.tls.key, link.tls.certificate",
        "link.tls.client-ca, link.tls.certificate"
    })
    void refusesHalfOfTls(String set, String missing) {
        assertThatThrownBy(() -> WorkerSettings.SCHEMA.read(Map.of(set, "/tls/file.pem")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(set + " is set and " + missing + " is not");
    }

    @Test
    void refusesWhatCannotWork() {
        assertThatThrownBy(() -> WorkerSettings.SCHEMA.read(Map.of("link.dead-after", "1s")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("link.ping-interval");
        assertThatThrownBy(() -> WorkerSettings.SCHEMA.read(Map.of("link.retenton", "1s")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("link.retention");
        assertThatThrownBy(() -> WorkerSettings.SCHEMA.read(Map.of("idle.check-interval", "0")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("more than 0");
        assertThatThrownBy(() -> WorkerSettings.SCHEMA.read(Map.of("worker.id", "a:b")))
                .isInstanceOf(InvalidSettingsException.class);
    }

    @Test
    void namesItselfAfterTheHost() {
        assertThat(WorkerSettings.workerId(WorkerSettings.SCHEMA.read(UNJAILED)))
                .matches("worker-[A-Za-z0-9._-]+");
        assertThat(
                        WorkerSettings.workerId(
                                WorkerSettings.SCHEMA.read(
                                        Map.of("isolation.mode", "none", "worker.id", "w-7"))))
                .isEqualTo("w-7");
    }
}
