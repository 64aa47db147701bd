package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.NpmRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers from npm, named by their packages as users do. Each worker has packages of its own, and
 * none has those of another's servers, as on hosts of their own.
 */
@DisplayName("Servers from npm whose worker leaves in order, calls flowing, with default settings,")
@Tag("long")
final class PlannedMoveTest {
    private static final Duration PACE = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofMinutes(6);
    private static final Duration MOST = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofMillis(500);
    private static final int WORKERS = 3;

    @TempDir private Path folder;

    @Test
    @DisplayName(
            "OWN-17, DEP-06: by a stop, by a move of the fleet's own and by a drain, as in an"
                    + " upgrade: every call is answered, the slowest within 3 s beyond its own time")
    void leaves() throws Exception {
        try (var registry = NpmRegistry.start();
                var fleet = fleet(registry);
                var load = new Load(fleet, servers(fleet))) {
            load.begin();

            assertThat(fleet.part("worker-1").terminate()).isIn(0, 143);
            load.awaitCalls();
            load.tell("stopped");

            long back = System.currentTimeMillis();
            fleet.startWorker(1).awaitReady();
            var _ =
                    fleet.records()
                            .await(
                                    Topic.LIFECYCLE,
                                    "a server on the worker that is back",
                                    1,
                                    r ->
                                            r.text("event").equals("mcp.server.started")
                                                    && r.text("worker_id").equals(fleet.workerId(1))
                                                    && r.raw().timestamp() >= back,
                                    PATIENCE);
            load.awaitCalls();
            load.tell("moved");

            var drain = new Drains(fleet).of(2, "--timeout", "50s");
            assertThat(drain.awaitExit()).as(drain.output()).isZero();
            load.awaitCalls();
            load.tell("drained");
        }
    }

    private FleetUnderTest fleet(NpmRegistry registry) throws IOException {
        var npmrc = Files.writeString(folder.resolve("npmrc"), "registry=" + registry.url());
        var builder =
                FleetUnderTest.named("planned-move")
                        .gateways(1)
                        .partitions(WORKERS)
                        .workers(WORKERS)
                        .worker("packages.npmrc", npmrc.toString());
        for (int worker = 1; worker <= WORKERS; worker++) {
            builder.worker(
                    worker, "worker.cache-directory", folder.resolve("cache-" + worker).toString());
        }
        return builder.start();
    }

    /**
     * No package is on two workers. Those of worker 1 have short calls only: a partition moves by
     * itself when none is under way, and calls of half a second would leave no such moment.
     */
    private List<Called> servers(FleetUnderTest fleet) {
        var placing = fleet.placing();
        var everything = placing.on(2, () -> npx("everything"));
        var memory = placing.on(1, () -> npx("memory"));
        var thinking = placing.on(1, () -> npx("sequential-thinking"));
        var files = placing.on(3, () -> npx("filesystem", folder.toString()));
        fleet.backend().install(List.of(everything, memory, thinking, files));
        var thought =
                """
                {"thought":"one","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}""";
        return List.of(
                new Called(everything, "echo", "{\"message\":\"hi\"}", Duration.ZERO),
                new Called(memory, "read_graph", "{}", Duration.ZERO),
                new Called(thinking, "sequentialthinking", thought, Duration.ZERO),
                new Called(files, "list_allowed_directories", "{}", Duration.ZERO),
                new Called(
                        everything,
                        longRunning(fleet, everything),
                        "{\"duration\":%s,\"steps\":1}".formatted(LONG.toMillis() / 1000.0),
                        LONG));
    }

    private static Installation npx(String server, String... more) {
        var words = new ArrayList<>(List.of("-y", "@modelcontextprotocol/server-" + server));
        words.addAll(List.of(more));
        return Installation.of(server, "npx", words);
    }

    /** What the tool is called that takes as long as it is told to. */
    private static String longRunning(FleetUnderTest fleet, Installation everything) {
        return fleet.backend()
                .ask(everything, "tools/list", null)
                .json()
                .at("/result/tools")
                .valueStream()
                .map(tool -> tool.path("tool_name").asString())
                .filter(name -> name.matches("(?i).*long-?running.*"))
                .findFirst()
                .orElseThrow();
    }

    /**
     * A tool that is called in its turn.
     *
     * @param own the time that it takes
     */
    private record Called(Installation server, String tool, String arguments, Duration own) {}

    private record Sent(String id, Called called, long at) {}

    /** Calls the tools in turn, one after the other whether they are answered or not. */
    private static final class Load implements AutoCloseable {
        private final FleetUnderTest fleet;
        private final List<Called> tools;
        private final List<Sent> sent = new CopyOnWriteArrayList<>();
        private final CountDownLatch closed = new CountDownLatch(1);
        private final Thread thread = Thread.ofPlatform().name("npm-load").unstarted(this::run);

        Load(FleetUnderTest fleet, List<Called> tools) {
            this.fleet = fleet;
            this.tools = tools;
        }

        void begin() {
            thread.start();
            awaitCalls();
        }

        private void run() {
            try {
                for (int i = 0; !closed.await(PACE.toNanos(), TimeUnit.NANOSECONDS); i++) {
                    var next = tools.get(i % tools.size());
                    long now = System.currentTimeMillis();
                    var id = fleet.backend().request(next.server(), next.tool(), next.arguments());
                    sent.add(new Sent(id, next, now));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Waits until a hundred more were sent, and all before these are answered. */
        void awaitCalls() {
            var before = List.copyOf(sent);
            Awaitility.await().atMost(PATIENCE).until(() -> sent.size() >= before.size() + 100);
            assertThat(
                            fleet.records()
                                    .awaitEach(
                                            Topic.TOOL_RESULTS,
                                            r -> r.text("request_id"),
                                            before.stream().map(Sent::id).toList(),
                                            PATIENCE))
                    .isEmpty();
        }

        /** What became of those that are answered, of which none may be late or without success. */
        void tell(String what) {
            var answers =
                    fleet.records().on(Topic.TOOL_RESULTS).stream()
                            .collect(
                                    Collectors.toMap(
                                            r -> r.text("request_id"), r -> r, (one, _) -> one));
            var slowest = Duration.ZERO;
            var failed = new ArrayList<Received>();
            for (var call : sent) {
                var answer = answers.get(call.id());
                if (answer == null) {
                    continue; // One of the last hundred.
                }
                if (!answer.text("outcome").equals("success")) {
                    failed.add(answer);
                }
                var took = Duration.ofMillis(answer.raw().timestamp() - call.at());
                var beyond = took.minus(call.called().own());
                slowest = beyond.compareTo(slowest) > 0 ? beyond : slowest;
            }
            System.out.printf(
                    "Servers from npm, their worker %s: %d calls, %d failed, slowest %d ms beyond"
                            + " its own time%n",
                    what, answers.size(), failed.size(), slowest.toMillis());
            assertThat(failed).isEmpty();
            assertThat(slowest).isLessThan(MOST);
        }

        @Override
        public void close() {
            closed.countDown();
            try {
                thread.join(PATIENCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
