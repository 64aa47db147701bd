package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.LogLine;
import dev.perigee.worker.WorkerSettings;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.OwnedLauncher;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.ProcessOwner;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.Watchdog;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.isolation.IsolationChoice;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a real program in a real jail to the records of its instance. */
@DisplayName("TEN-06: A jailed program that connects where it may not")
@NeedsProgram(Program.BUBBLEWRAP)
final class JailedEgressTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ATTEMPTS = 20;
    private static final String REFUSED = "Egress refused to ";
    private static final String BY_FLEET =
            "the fleet's egress policy does not allow it (egress.allow of the workers)";

    private final ProcessLauncher launcher = ProcessLaunchers.create(LauncherOptions.defaults());
    private final Termination termination = new Termination();
    private final ProcessOwner owner = new ProcessOwner("egress-" + UUID.randomUUID(), "first");
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    private final Watchdog watchdog;
    private @TempDir Path caches;

    @SuppressWarnings("NullAway.Init") // Opened before each test.
    private Isolation isolation;

    @SuppressWarnings("NullAway.Init") // Opened before each test.
    private InstanceBench bench;

    JailedEgressTest() throws Exception {
        watchdog = Watchdog.start(owner, Duration.ofMinutes(5), launcher, () -> {});
    }

    @BeforeEach
    void open() throws Exception {
        var owned =
                new OwnedLauncher(launcher, owner, watchdog, termination, Duration.ofSeconds(1));
        letPass(caches);
        isolation = isolation(owned);
        bench =
                new InstanceBench(
                        Map.of(),
                        () -> Instant.now().plus(ahead.get()),
                        owned,
                        termination,
                        isolation);
    }

    /** The users of jails pass a real worker's directories. */
    private static void letPass(Path directory) throws IOException {
        for (var at = directory; at != null; at = at.getParent()) {
            var permissions = EnumSet.copyOf(Files.getPosixFilePermissions(at));
            if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
                Files.setPosixFilePermissions(at, permissions);
            }
        }
    }

    private Isolation isolation(ProcessLauncher owned) throws InterruptedException {
        var guards =
                new EgressGuards(
                        EgressPolicy.INTERNET,
                        (_, _) -> List.of(InetAddress.ofLiteral("10.1.2.3")));
        try {
            return IsolationChoice.choose(
                    WorkerSettings.SCHEMA.read(
                            Map.of("link.token", "secret", "isolation.mode", "bubblewrap")),
                    new IsolationChoice.Host(
                            false,
                            owner.workerId(),
                            owner.incarnation(),
                            caches,
                            System.getenv(),
                            owned,
                            guards));
        } catch (IllegalStateException e) {
            Program.BUBBLEWRAP.cannot(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    @AfterEach
    void close() {
        if (bench != null) {
            bench.close();
        }
        if (isolation != null) {
            isolation.close();
        }
        watchdog.close();
        launcher.close();
    }

    @Test
    @DisplayName("has a line with host and rule in its log at once, and one a minute from then on")
    void isLogged() {
        var config = connecting("10.1.2.3/5432", null);

        bench.configure(config);
        await().atMost(PATIENCE).until(() -> bench.journal(config).lines().contains("tried"));

        assertThat(isolation.refused()).isGreaterThanOrEqualTo(ATTEMPTS);
        assertThat(refusals(config)).hasSize(1);
        var line = refusals(config).getFirst();
        assertThat(line.message()).isEqualTo(REFUSED + "10.1.2.3:5432: " + BY_FLEET);
        assertThat(line.level()).isEqualTo("warn");
        assertThat(line.metadata()).containsEntry("process_id", config.processId());

        ahead.set(EgressNotices.PAUSE);
        await().atMost(PATIENCE).until(() -> refusals(config).size() == 2);
        assertThat(refusals(config).getLast().message())
                .matches("Egress refused to 10\\.1\\.2\\.3:5432: .*; [0-9]+ more attempts since.*");
        assertThat(isolation.connections()).isZero();
    }

    @Test
    @DisplayName("by a name has that name in the line, and not the address that it leads to")
    void isLoggedByName() {
        var config = connecting("db.internal.example/5432", null);

        bench.configure(config);
        await().atMost(PATIENCE).until(() -> bench.journal(config).lines().contains("tried"));

        assertThat(refusals(config))
                .extracting(LogLine::message)
                .containsExactly(REFUSED + "db.internal.example: " + BY_FLEET);
    }

    @Test
    @DisplayName("that its own list does not have is told to write it there")
    void isToldOfItsList() {
        var config = connecting("93.184.215.14/80", List.of("api.example.com"));

        bench.configure(config);
        await().atMost(PATIENCE).until(() -> bench.journal(config).lines().contains("tried"));

        assertThat(refusals(config))
                .extracting(LogLine::message)
                .containsExactly(
                        REFUSED
                                + "93.184.215.14:80: it is not in the installation's list"
                                + " (config.egress)");
    }

    private List<LogLine> refusals(ServerConfig config) {
        return bench.journal(config).all(EventBody.Logs.class).stream()
                .flatMap(logs -> logs.logs().stream())
                .filter(line -> line.message().startsWith(REFUSED))
                .toList();
    }

    /** A program that says when it has tried often, and goes on. */
    private static ServerConfig connecting(String target, @Nullable List<String> egress) {
        var script =
                ("attempt() { (exec 3<>/dev/tcp/%s && read -t 20 -u 3) 2>/dev/null; };"
                                + " for ((i = 0; i < %d; i++)); do attempt; done; echo tried;"
                                + " while :; do attempt; sleep 0.1; done")
                        .formatted(target, ATTEMPTS);
        var builder =
                new ServerConfigBuilder(
                        "e",
                        "slug-e",
                        new Owner("t1", "acme", InstanceBench.USER, "alice"),
                        TransportType.COMMAND,
                        "bash",
                        List.of("-c", script));
        return egress == null ? builder.build() : builder.egress(egress).build();
    }
}
