package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.tool.ToolOutcome;
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
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hundreds of servers end at the same time, beside one of another user that is called. */
final class ManyEndingsTest {
    private static final Logger log = LoggerFactory.getLogger(ManyEndingsTest.class);
    private static final int COUNT = 300;
    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final Duration LOOK = Duration.ofMillis(1);

    /** Where a call waits for a processor: instance, server, poller, and the caller again. */
    private static final int HAND_OVERS = 4;

    private static final Duration LEASE = Duration.ofMinutes(5);

    private static final Map<String, String> SETTINGS =
            Map.of("restart.delays", "1s,5s,15s", "limits.user.awake", "1000");

    private final ProcessLauncher launcher = ProcessLaunchers.create(LauncherOptions.defaults());
    private final Termination termination = new Termination();
    private final ServerConfig other = InstanceBench.small("other");
    private List<ServerConfig> many = List.of();
    private @TempDir Path caches;
    private final ProcessOwner owner = new ProcessOwner("endings-" + UUID.randomUUID(), "first");
    private final Watchdog watchdog;
    private final ProcessLauncher owned;

    ManyEndingsTest() throws Exception {
        watchdog = Watchdog.start(owner, LEASE, launcher, () -> {});
        owned = new OwnedLauncher(launcher, owner, watchdog, termination, Duration.ofSeconds(1));
    }

    /** What ends. */
    enum Kind {
        PLAIN,
        /** As in production. */
        JAILED,
        /** With a child that SIGTERM does not end, so that it is looked for until it is killed. */
        WITH_A_CHILD;

        ServerConfig server(String id) {
            var small = InstanceBench.small(id);
            if (this != WITH_A_CHILD) {
                return small;
            }
            var script =
                    "(trap '' TERM; exec sleep 600 <&- >&- 2>&-) & exec sh "
                            + small.args().getFirst();
            return InstanceBench.program(
                    id, TransportType.STDIO, "sh", List.of("-c", script), Map.of(), null);
        }
    }

    private InstanceBench start(Kind kind) throws InterruptedException {
        many = IntStream.range(0, COUNT).mapToObj(i -> kind.server("many-" + i)).toList();
        var isolation = isolation(kind == Kind.JAILED);
        var bench =
                new InstanceBench(SETTINGS, InstantSource.system(), owned, termination, isolation);
        bench.configure(other);
        var pending = many.stream().map(config -> bench.submit(config, Cause.CREATED)).toList();
        pending.forEach(bench::settle);
        return bench;
    }

    private Isolation isolation(boolean jailed) throws InterruptedException {
        try {
            return IsolationChoice.choose(
                    WorkerSettings.SCHEMA.read(
                            Map.of(
                                    "link.token",
                                    "secret",
                                    "isolation.mode",
                                    jailed ? "bubblewrap" : "none",
                                    "isolation.read-only-paths",
                                    resources())),
                    new IsolationChoice.Host(
                            false,
                            owner.workerId(),
                            owner.incarnation(),
                            caches,
                            System.getenv(),
                            owned,
                            EgressGuards.of(EgressPolicy.INTERNET)));
        } catch (IllegalStateException e) {
            Program.BUBBLEWRAP.cannot(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private static String resources() {
        return Objects.requireNonNull(
                        Path.of(InstanceBench.small("a").args().getFirst()).getParent())
                .toString();
    }

    @AfterEach
    void end() {
        watchdog.close();
        launcher.close();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JAILED")
    @DisplayName(
            "OWN-20: beside 300 servers that crash, then are uninstalled, no call takes 500 ms")
    void delayNobody(Kind kind) throws Exception {
        assertOthersGoOn(kind);
    }

    @Test
    @NeedsProgram(Program.BUBBLEWRAP)
    @DisplayName("OWN-20: beside 300 jailed servers that do so no call takes 500 ms")
    void delayNobodyFromJails() throws Exception {
        assertOthersGoOn(Kind.JAILED);
    }

    private void assertOthersGoOn(Kind kind) throws Exception {
        try (var bench = start(kind)) {
            assertOthersGoOn("crashed", bench, this::crashAll);
            assertOthersGoOn("uninstalled", bench, this::uninstallAll);
        }
    }

    private void assertOthersGoOn(String what, InstanceBench bench, Consumer<InstanceBench> endings)
            throws Exception {
        var cost = costOf(what, bench, () -> endings.accept(bench));
        assertThat(cost.slowest())
                .as("slowest call while they were %s", what)
                .isLessThan(LIMIT.plus(cost.pause().multipliedBy(HAND_OVERS)));
    }

    private void uninstallAll(InstanceBench bench) {
        var removed = new ArrayList<PendingOutcome>();
        for (var config : many) {
            removed.add(bench.instances.remove(bench.order(config.processId())));
        }
        removed.forEach(bench::settle);
    }

    private void crashAll(InstanceBench bench) {
        many.stream()
                .map(config -> Objects.requireNonNull(bench.snapshot(config).pid()))
                .forEach(pid -> ProcessHandle.of(pid).orElseThrow().destroyForcibly());
        await().atMost(Duration.ofMinutes(3))
                .until(() -> many.stream().map(bench::snapshot).allMatch(ManyEndingsTest::isBack));
    }

    private static boolean isBack(InstanceSnapshot snapshot) {
        return snapshot.crashCount() > 0 && snapshot.state() == InstanceState.RUNNING;
    }

    /**
     * What endings cost others: the longest call meanwhile, by how much a thread that only sleeps
     * was late at most, which is the machine's doing, and the processor time of all.
     */
    private record Cost(Duration slowest, Duration pause, Duration cpu) {}

    private static CompletableFuture<Duration> longestUntil(
            AtomicBoolean over, Supplier<Duration> measure) {
        return CompletableFuture.supplyAsync(
                () -> {
                    var longest = Duration.ZERO;
                    while (!over.get()) {
                        longest = longer(longest, measure.get());
                    }
                    return longest;
                },
                task -> Thread.ofPlatform().start(task));
    }

    private static Duration lateness() {
        long begin = System.nanoTime();
        LockSupport.parkNanos(LOOK.toNanos());
        return Duration.ofNanos(System.nanoTime() - begin).minus(LOOK);
    }

    private Cost costOf(String what, InstanceBench bench, Runnable endings) throws Exception {
        var before = slowestOf(bench, 100);
        long begin = System.nanoTime();
        var spent = cpuTime();
        var over = new AtomicBoolean();
        var slowest = longestUntil(over, () -> call(bench));
        var pause = longestUntil(over, ManyEndingsTest::lateness);
        try {
            endings.run();
        } finally {
            over.set(true);
        }
        var cost = new Cost(slowest.get(), pause.get(), cpuTime().minus(spent));
        log.atInfo()
                .addKeyValue("took_ms", Duration.ofNanos(System.nanoTime() - begin).toMillis())
                .addKeyValue("cpu_ms", cost.cpu().toMillis())
                .addKeyValue("slowest_before_ms", before.toMillis())
                .addKeyValue("slowest_ms", cost.slowest().toMillis())
                .addKeyValue("pause_ms", cost.pause().toMillis())
                .log("{} servers {}", COUNT, what);
        return cost;
    }

    private static Duration cpuTime() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private Duration slowestOf(InstanceBench bench, int calls) {
        return IntStream.range(0, calls)
                .mapToObj(_ -> call(bench))
                .reduce(Duration.ZERO, ManyEndingsTest::longer);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private Duration call(InstanceBench bench) {
        long begin = System.nanoTime();
        var result = bench.call(other, "pid", Map.of());
        assertThat(result.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
