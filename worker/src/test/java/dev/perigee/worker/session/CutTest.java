package dev.perigee.worker.session;

import static dev.perigee.worker.session.WholeWorker.alive;
import static dev.perigee.worker.session.WholeWorker.awaitFile;
import static dev.perigee.worker.session.WholeWorker.data;
import static dev.perigee.worker.session.WholeWorker.is;
import static dev.perigee.worker.session.WholeWorker.program;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordOrigin;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of real processes, and of what they say, while no gateway is attached. */
final class CutTest {
    /** More than a pipe and a small journal hold. */
    private static final int FLOOD = 3_000;

    /** Nothing is said by the clock: a record of usage would come with each minute. */
    private static final Map<String, String> EVICTING =
            Map.of(
                    "journal.when-full", "evict",
                    "journal.bytes", "64KiB",
                    "usage.enabled", "false");

    @TempDir private Path directory;

    @Test
    @DisplayName("RES-23 a program that runs through cuts stays the same, its output complete")
    void outputOfAProgramIsComplete() throws Exception {
        var end = directory.resolve("end");
        var total = directory.resolve("total");
        try (var worker = new WholeWorker(Map.of())) {
            var config =
                    program(
                            "c",
                            "i=0; while [ ! -e %s ]; do echo line $((++i)); sleep 0.02; done; echo $i > %s"
                                    .formatted(end, total));
            long pid = worker.install(config, 1);
            for (int cut = 1; cut <= 3; cut++) {
                worker.cut();
                await().until(() -> worker.metric("perigee_worker_journal_entries") >= 2);
                assertThat(alive(pid)).isTrue();
                worker.resume();
                int before = worker.lines(config).size();
                worker.hear(config, _ -> worker.lines(config).size() > before + 20);
            }
            worker.cut();
            Files.createFile(end);
            awaitFile(total);
            worker.resume();
            worker.hear(config, event -> is(event, EventType.EXITED));
            int said = Integer.parseInt(Files.readString(total).strip());
            worker.hearUntil(() -> worker.lines(config).size() >= said);
            assertThat(worker.lines(config))
                    .isEqualTo(IntStream.rangeClosed(1, said).mapToObj(i -> "line " + i).toList());
            assertWhole(worker, config);
            assertThat(worker.all(config, EventType.EXITED))
                    .extracting(event -> event.path("pid").asLong())
                    .containsExactly(pid);
        }
    }

    @Test
    @DisplayName(
            "RES-13 a program that floods its output is slowed, and each line is accounted for")
    void aFloodOfLinesIsSlowed() throws Exception {
        var go = directory.resolve("go");
        var done = directory.resolve("done");
        try (var worker = new WholeWorker(Map.of("journal.bytes", "64KiB"))) {
            var config = program("f", flood(go, done) + "exit 0");
            worker.install(config, 1);
            worker.cut();
            Files.createFile(go);

            await().until(() -> worker.metric("perigee_worker_journal_bytes") > 40_000);
            await().during(Duration.ofSeconds(1))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> !Files.exists(done));
            assertThat(worker.metric("perigee_worker_journal_bytes")).isLessThan(80_000);

            worker.resume();
            // What is in the pipe when it exits is read, and told, after that.
            worker.hearUntil(
                    () -> published(worker, config).size() + dropped(worker, config) >= FLOOD);
            assertThat(published(worker, config)).doesNotHaveDuplicates();
            assertThat(published(worker, config).size() + dropped(worker, config)).isEqualTo(FLOOD);
            assertWhole(worker, config);
        }
    }

    @Test
    @DisplayName("RES-13 a server that floods its output with results is slowed, and none is lost")
    void aFloodOfResultsIsSlowed() throws Exception {
        int calls = 60;
        try (var worker = new WholeWorker(Map.of("journal.bytes", "256KiB"))) {
            var config = held();
            Files.createFile(directory.resolve("init"));
            worker.install(config, 1);
            for (int i = 1; i <= calls; i++) {
                assertThat(worker.call(config, "big", i).answered()).isNull();
            }
            worker.cut();
            Files.createFile(directory.resolve("go"));

            // Closed by what is read, it stays so until a quarter of the journal is free.
            await().until(() -> worker.metric("perigee_worker_journal_bytes") > 192 << 10);
            await().during(Duration.ofSeconds(1))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> answered() < calls / 2);
            // The valve closes by what is read, whenever it is appended: one read of the pipe, and
            // what a message has around it, may be beyond it.
            assertThat(worker.metric("perigee_worker_journal_bytes")).isLessThan(352 << 10);

            worker.resume();
            assertThat(worker.call(config, "big", calls + 1).answered())
                    .extracting(ToolResult::error)
                    .satisfies(error -> assertThat(error.code()).isEqualTo(ErrorCode.OVERLOADED));
            worker.hear(config, _ -> results(worker, config).size() == calls);
            assertThat(results(worker, config)).doesNotHaveDuplicates();
            assertWhole(worker, config);
            assertThat(worker.call(config, "big", calls + 2).answered()).isNull();
        }
    }

    @Test
    @DisplayName("RES-14 a start whose answer was cut off is the same start, whoever asks again")
    void anAmbiguousStartIsOne() throws Exception {
        try (var worker = new WholeWorker(Map.of())) {
            var config = held();
            var order = WholeWorker.apply(config, 1L, 10);
            worker.gateway.send(LinkMethod.APPLY, order);
            awaitFile(directory.resolve("starts"));
            worker.cut();

            assertThat(worker.resume().processes())
                    .singleElement()
                    .satisfies(
                            process -> {
                                assertThat(process.startToken()).isEqualTo(10);
                                assertThat(process.state()).isEqualTo("starting");
                            });
            worker.gateway.send(LinkMethod.APPLY, order);
            Files.createFile(directory.resolve("init"));
            assertThat(worker.gateway.result(InstanceOrder.Outcome.class).outcome())
                    .isEqualTo(CommandOutcome.COMPLETED);

            assertThat(worker.takeOver(2).processes())
                    .extracting(Attach.AttachedProcess::startToken)
                    .containsExactly(10L);
            var restored = WholeWorker.apply(config, null, 10);
            worker.gateway.ask(LinkMethod.APPLY, restored, InstanceOrder.Outcome.class);
            assertThat(starts()).hasSize(1).allMatch(pid -> alive(Long.parseLong(pid)));
        }
    }

    @Test
    @DisplayName("RES-14 a start that never arrived is started once")
    void aLostStartIsStartedOnce() throws Exception {
        try (var worker = new WholeWorker(Map.of())) {
            var config = held();
            Files.createFile(directory.resolve("init"));
            worker.cut();
            assertThat(worker.resume().processes()).isEmpty();
            worker.install(config, 1);
            assertThat(starts()).hasSize(1);
        }
    }

    @Test
    @DisplayName("RES-11 a hole ends its process, the whole tree, and nothing else")
    void aHoleEndsOnlyItsProcess() throws Exception {
        var go = directory.resolve("go");
        var done = directory.resolve("done");
        var child = directory.resolve("child");
        try (var worker = new WholeWorker(EVICTING)) {
            var noisy =
                    program(
                            "n",
                            "sleep 600 & echo $! > " + child + "; " + flood(go, done) + "wait");
            var quiet = program("q", "echo hello; exec sleep 600");
            long noisyPid = worker.install(noisy, 1);
            long quietPid = worker.install(quiet, 2);
            worker.hearUntil(() -> !worker.lines(quiet).isEmpty()); // Said before the cut.
            awaitFile(child);
            long childPid = Long.parseLong(Files.readString(child).strip());
            worker.cut();
            Files.createFile(go);
            awaitFile(done);
            assertThat(worker.metric("perigee_worker_journal_bytes")).isLessThan(80_000);
            int before = worker.of(noisy).size();
            int quietBefore = worker.of(quiet).size();

            worker.resume();
            worker.hear(noisy, CutTest::failed);

            var after = worker.of(noisy).subList(before, worker.of(noisy).size());
            assertThat(after).extracting(InstanceEvent::seq).isSorted().doesNotHaveDuplicates();
            assertThat(after.getFirst().seq()).isGreaterThan(before + 1L);
            assertThat(worker.all(noisy, EventType.STOPPED))
                    .singleElement()
                    .satisfies(
                            stopped -> {
                                assertThat(stopped.path("reason").asString())
                                        .isEqualTo("output_gap");
                                assertThat(stopped.path("pid").asLong()).isEqualTo(noisyPid);
                            });
            assertThat(worker.all(noisy, EventType.CRASHED)).isEmpty();
            assertThat(worker.all(noisy, EventType.EXITED)).isEmpty();
            assertThat(worker.lines(noisy)).anyMatch(line -> line.contains("lines are missing"));
            assertThat(alive(noisyPid)).isFalse();
            await("init has taken the child").until(() -> !alive(childPid));

            assertThat(alive(quietPid)).isTrue();
            assertThat(worker.of(quiet)).hasSize(quietBefore);
            worker.gateway.ask(LinkMethod.STOP, stop(quiet, 3, 2), InstanceOrder.Outcome.class);
            worker.hear(quiet, event -> is(event, EventType.STOPPED));
            worker.hear(quiet, event -> is(event, EventType.STATUS_CHANGED));
            worker.gateway.settle();
            await().until(() -> worker.metric("perigee_worker_journal_entries") == 0);

            worker.gateway.ask(LinkMethod.RESTART, stop(noisy, 4, 1), InstanceOrder.Outcome.class);
            worker.hear(noisy, WholeWorker::online);
        }
    }

    @Test
    @DisplayName("RES-12 where the process had exited, the hole invents no end of it")
    void aHoleInventsNoExit() throws Exception {
        var go = directory.resolve("go");
        var done = directory.resolve("done");
        try (var worker = new WholeWorker(EVICTING)) {
            var config = program("n", flood(go, done) + "exit 0");
            worker.install(config, 1);
            worker.cut();
            Files.createFile(go);
            worker.awaitState(config, "terminated");

            worker.resume();
            worker.hear(config, CutTest::lost);
            worker.awaitState(config, "terminated");
            worker.takeRest();

            assertThat(worker.all(config, EventType.EXITED)).hasSize(1);
            assertThat(worker.all(config, EventType.STOPPED)).isEmpty();
            assertThat(worker.all(config, EventType.CRASHED)).isEmpty();
            assertThat(worker.of(config)).filteredOn(CutTest::failed).isEmpty();
        }
    }

    @Test
    @DisplayName("RES-16 of several one closed, one has a hole, one is busy, one is idle")
    void recoversEachAsItIs() throws Exception {
        var go = directory.resolve("go");
        var done = directory.resolve("done");
        var wait = "while [ ! -e " + go + " ]; do sleep 0.05; done; ";
        try (var worker = new WholeWorker(EVICTING)) {
            var closed = program("x", wait + "printf 'a\\nb\\nc\\n'; exit 0");
            var hole = program("n", flood(go, done) + "exec sleep 600");
            var busy =
                    program(
                            "b",
                            "for i in {1..20}; do echo line $i; sleep 0.05; done; "
                                    + wait
                                    + "for i in {21..60}; do echo line $i; sleep 0.05; done; "
                                    + "read end");
            var idle = program("i", "exec sleep 600");
            worker.install(closed, 1);
            long holePid = worker.install(hole, 2);
            long busyPid = worker.install(busy, 3);
            long idlePid = worker.install(idle, 4);
            worker.cut();
            int idleBefore = worker.of(idle).size();
            int busyBefore = worker.lines(busy).size();
            assertThat(busyBefore).isLessThanOrEqualTo(20);
            Files.createFile(go);
            awaitFile(done);
            worker.awaitState(closed, "terminated");

            var attached = worker.resume();
            assertThat(attached.resumed()).isTrue();
            assertThat(attached.processes()).hasSize(4);
            worker.hear(hole, CutTest::failed);
            worker.hearUntil(() -> worker.lines(busy).size() >= 60);
            worker.hearUntil(() -> worker.lines(closed).size() >= 3);
            worker.hearUntil(() -> !worker.all(closed, EventType.EXITED).isEmpty());
            worker.takeRest();

            assertThat(worker.lines(closed)).containsExactly("a", "b", "c");
            assertThat(worker.all(closed, EventType.EXITED)).hasSize(1);
            assertWhole(worker, closed);
            assertThat(worker.all(hole, EventType.STOPPED)).hasSize(1);
            assertThat(alive(holePid)).isFalse();
            assertThat(worker.lines(busy))
                    .isEqualTo(IntStream.rangeClosed(1, 60).mapToObj(i -> "line " + i).toList());
            assertWhole(worker, busy);
            assertThat(alive(busyPid)).isTrue();
            assertThat(worker.of(idle)).hasSize(idleBefore);
            assertThat(alive(idlePid)).isTrue();
        }
    }

    /** A server that answers the handshake, and its calls, when a file says so. */
    private ServerConfig held() throws URISyntaxException {
        var script = Objects.requireNonNull(CutTest.class.getResource("/held.mjs"));
        return WholeWorker.server("h", Path.of(script.toURI()).toString(), directory.toString());
    }

    private List<String> starts() throws IOException {
        return Files.readAllLines(directory.resolve("starts"));
    }

    private int answered() throws IOException {
        var text = Files.readString(directory.resolve("answered"));
        return text.isEmpty() ? 0 : Integer.parseInt(text);
    }

    private static List<String> results(WholeWorker worker, ServerConfig config) {
        return worker.of(config).stream()
                .filter(event -> is(event, EventType.TOOL_RESULT))
                .map(InstanceEvent::key)
                .toList();
    }

    private static List<String> published(WholeWorker worker, ServerConfig config) {
        return worker.lines(config).stream().filter(line -> line.startsWith("=")).toList();
    }

    private static int dropped(WholeWorker worker, ServerConfig config) {
        return worker.lines(config).stream()
                .filter(line -> line.contains("log lines were dropped"))
                .mapToInt(line -> Integer.parseInt(line.substring(0, line.indexOf(' '))))
                .sum();
    }

    private static boolean failed(InstanceEvent event) {
        return is(event, EventType.STATUS_CHANGED)
                && data(event).path("status").asString().equals("error");
    }

    private static boolean lost(InstanceEvent event) {
        return data(event).path("logs").path(0).path("message").asString("").contains("missing");
    }

    /** Waits for a file, says much, makes another. */
    private static String flood(Path go, Path done) {
        return "while [ ! -e %s ]; do sleep 0.05; done; seq -f '=%%.0f %s' 1 %d; echo done > %s; "
                .formatted(go, "x".repeat(200), FLOOD, done);
    }

    private static InstanceOrder.Simple stop(ServerConfig config, long offset, long token) {
        return new InstanceOrder.Simple(
                Orders.PARTITION,
                new RecordOrigin(Orders.COMMANDS, 3, offset),
                "cmd-" + offset,
                config.processId(),
                token,
                null);
    }

    /** Each number came once, in order. */
    private static void assertWhole(WholeWorker worker, ServerConfig config) {
        List<Long> seqs = worker.seqs(config);
        assertThat(seqs).isEqualTo(LongStream.rangeClosed(1, seqs.getLast()).boxed().toList());
    }
}
