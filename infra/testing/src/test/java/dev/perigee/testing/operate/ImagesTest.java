package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.local.port.FreePort;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmRegistry;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;

/** A gateway and a worker in containers, with the restrictions of compose file and chart. */
@DisplayName("Images")
@Tag(NeedsProgram.TAG)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ImagesTest {
    private static final int LAST = Integer.MAX_VALUE;
    private static final String DEAD_PROCESSES =
            "grep --files-with-matches '^State:.Z' /proc/[0-9]*/status";

    private FleetUnderTest fleet;
    private NpmRegistry registry;
    private GenericContainer<?> worker;
    private GenericContainer<?> gateway;

    @BeforeAll
    void start() throws IOException {
        Images.require();
        fleet = FleetUnderTest.named("images").workers(0).gateways(0).start();
        registry = NpmRegistry.start();
        var services = Compose.read().path("services");
        var link = "127.0.0.1:" + FreePort.on("127.0.0.1");
        worker =
                Images.container(
                        services.path("worker-1"),
                        Map.of(
                                "PERIGEE_WORKER_DRAIN_TIMEOUT",
                                "2s",
                                "PERIGEE_LINK_LISTEN",
                                link,
                                "PERIGEE_ADMIN_LISTEN",
                                "127.0.0.1:0",
                                "PERIGEE_EGRESS_ALLOW",
                                URI.create(registry.url()).getAuthority(),
                                "PERIGEE_ISOLATION_READ_ONLY_PATHS",
                                Fixtures.script().toString()),
                        List.of(Fixtures.script()));
        worker.waitingFor(Images.READY).start();
        gateway =
                Images.container(
                        services.path("gateway-1"),
                        Map.of(
                                "PERIGEE_KAFKA_BOOTSTRAP_SERVERS",
                                fleet.bootstrap(),
                                "PERIGEE_WORKERS",
                                "ws://" + link + "/link",
                                "PERIGEE_ADMIN_LISTEN",
                                "127.0.0.1:0"),
                        List.of());
        gateway.waitingFor(Images.READY).start();
    }

    @AfterAll
    void end() {
        for (var container : new GenericContainer<?>[] {gateway, worker}) {
            if (container != null) {
                container.stop();
            }
        }
        if (registry != null) {
            registry.close();
        }
        if (fleet != null) {
            fleet.close();
        }
    }

    @Test
    @DisplayName("call servers, which live in jails of their own")
    void serve() {
        var backend = fleet.backend();
        var f = backend.install(Installation.fixture());

        assertThat(backend.text(f, "echo", "{\"message\":\"hi\"}")).isEqualTo("hi");
        assertThat(backend.text(f, "pid", "{}")).isEqualTo("2");
        assertThat(backend.text(f, "env", "{}"))
                .contains("\"HOME\":\"/home/node\"")
                .doesNotContain("PERIGEE_LINK", "PERIGEE_ADMIN");
        var heartbeat = fleet.records().await(Topic.HEARTBEATS, "heartbeat", r -> true);
        assertThat(heartbeat.text("isolation")).startsWith("bubblewrap");
    }

    /** Kafka's codecs are native code, which they put where temporary files are. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "snappy", "lz4", "zstd"})
    @DisplayName("read what backends compress")
    void decompress(String codec) {
        try (var backend = fleet.backend().compressing(codec)) {
            var f = backend.install(Installation.fixture());

            assertThat(backend.text(f, "echo", "{\"message\":\"hi\"}")).isEqualTo("hi");
        }
    }

    @Test
    @DisplayName("install packages by npm, as the user that the worker is")
    void prepare() {
        var everything =
                Installation.of(
                                "everything",
                                "npx",
                                List.of("-y", "@modelcontextprotocol/server-everything"))
                        .withEnv("npm_config_registry", registry.url());
        var backend = fleet.backend();

        backend.install(everything);

        assertThat(backend.text(everything, "echo", "{\"message\":\"hi\"}")).isEqualTo("Echo: hi");
        assertThat(registry.requests()).isPositive();
    }

    @Test
    @DisplayName("do not run as root, and the gateway's has no shell")
    void areLeast() throws Exception {
        assertThat(Images.users(gateway)).containsExactly("65532");
        assertThat(Images.users(worker)).containsExactly("10001");
        for (var program : List.of("sh", "bash", "dash", "busybox", "ls", "apt-get")) {
            var run = gateway.execInContainer(program, "--help");
            assertThat(run.getExitCode()).as(program + run).isBetween(126, 127);
        }
        assertThat(gateway.execInContainer("/opt/java/bin/java", "--version").getExitCode())
                .isZero();
    }

    @Test
    @DisplayName("have a command that compares the topics")
    void compareTopics() {
        var arguments = List.of("topics", "--check", "--bootstrap", fleet.bootstrap());
        try (var topics =
                Images.container(Compose.read().at("/services/topics"), Map.of(), List.of())) {
            topics.withCommand(arguments.toArray(String[]::new))
                    .withStartupCheckStrategy(new OneShotStartupCheckStrategy())
                    .start();
        }
    }

    @Test
    @DisplayName("leave no dead process lying about")
    void bury() {
        var backend = fleet.backend();
        var f = backend.install(Installation.fixture("--fork-detached"));
        backend.uninstall(f);

        Awaitility.await()
                .untilAsserted(
                        () -> {
                            var dead = worker.execInContainer("sh", "-c", DEAD_PROCESSES);
                            assertThat(dead.getStdout()).isEmpty();
                        });
    }

    @Test
    @Order(LAST)
    @DisplayName("end in good order when they are told to")
    void endInOrder() {
        var f = fleet.backend().install(Installation.fixture("--ignore-eof"));

        assertThat(Images.terminate(worker)).as(worker.getLogs()).isEqualTo(143);
        fleet.records()
                .await(
                        Topic.LOGS,
                        "SIGTERM",
                        r ->
                                r.key().equals(f.processId())
                                        && r.json().toString().contains("received SIGTERM"));
        assertThat(Images.terminate(gateway)).as(gateway.getLogs()).isEqualTo(143);
    }
}
