package dev.perigee.console;

import static dev.perigee.console.ConsoleEvents.NOON;
import static dev.perigee.console.ConsoleEvents.crash;
import static dev.perigee.console.ConsoleEvents.event;
import static dev.perigee.console.ConsoleEvents.logs;
import static dev.perigee.console.ConsoleEvents.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class BoardTest {
    private final Board board = new Board(10_000, 3, NOON);

    private Update all(@Nullable String instance) throws InterruptedException {
        return board.await(Cursor.NONE, instance, 0, Duration.ZERO);
    }

    private static Update.Detail detail(Update update) {
        return Objects.requireNonNull(update.detail());
    }

    private Update after(Update known) throws InterruptedException {
        return after(known, null);
    }

    private Update after(Update known, @Nullable String instance) throws InterruptedException {
        return board.await(known.cursor(), instance, known.cursor().version(), Duration.ZERO);
    }

    private void put(String processId, int seq, ServerStatus status) {
        board.event(status(processId, seq, status), new RecordId(1, seq), 5);
    }

    @Test
    void tellsOnlyWhatCameAfter() throws Exception {
        put("a", 1, ServerStatus.ONLINE);
        put("b", 1, ServerStatus.ONLINE);
        var first = all(null);
        assertThat(first.reset()).isTrue();
        assertThat(first.instances())
                .extracting(InstanceView::processId)
                .containsExactlyInAnyOrder("a", "b");

        put("b", 2, ServerStatus.ERROR);
        var second = after(first);

        assertThat(second.reset()).isFalse();
        assertThat(second.instances())
                .singleElement()
                .satisfies(
                        it -> {
                            assertThat(it.processId()).isEqualTo("b");
                            assertThat(it.status()).isEqualTo("error");
                            assertThat(it.partition()).isEqualTo(5);
                        });
        assertThat(after(second).isEmpty()).isTrue();
    }

    @Test
    void tellsAtOnceThatAllIsRead() throws Exception {
        board.fleet(ServedConsole.withoutWorkers(board));
        var reading = all(null);
        assertThat(reading.fleet()).isNotNull();
        assertThat(reading.fleet().reading().caughtUp()).isFalse();

        board.caughtUp();

        var read = after(reading);
        assertThat(read.fleet()).isNotNull();
        assertThat(read.fleet().reading().caughtUp()).isTrue();
    }

    @Test
    void keepsTheVersionThatAGatewayDoesNotKnow() throws Exception {
        var failed = new EventBody.StatusChanged(ServerStatus.ERROR, "why", null, null, "2.0.1");
        var lost = new EventBody.StatusChanged(ServerStatus.CONNECTING, "link lost", null, null);

        board.event(event("a", 1, failed), null, 5);
        board.event(event("a", 0, lost), null, 5);
        assertThat(all(null).instances().getFirst().serverVersion()).isEqualTo("2.0.1");

        board.event(event("a", 2, lost), null, 5);
        assertThat(all(null).instances().getFirst().serverVersion()).isNull();
    }

    @Test
    void saysNothingTwiceThatWasPublishedTwice() throws Exception {
        board.event(status("a", 1, ServerStatus.ONLINE), new RecordId(1, 1), 5);
        board.event(logs("a", 2, "one"), new RecordId(1, 2), 5);
        board.event(logs("a", 2, "one"), new RecordId(1, 2), 5);
        board.event(crash("a", 3), new RecordId(1, 3), 5);
        board.event(crash("a", 3), new RecordId(1, 3), 5);
        board.event(logs("a", 1, "of a new session"), new RecordId(2, 1), 5);

        var update = all("a");

        assertThat(detail(update).logs().entries())
                .extracting(Entry.LogLine::message)
                .containsExactly("one", "of a new session");
        assertThat(update.instances().getFirst().crashes()).isEqualTo(1);
    }

    @Test
    void showsAnInstanceOnceItsStatusIsKnown() throws Exception {
        board.event(logs("a", 1, "early"), new RecordId(1, 1), 5);
        assertThat(all(null).instances()).isEmpty();

        put("a", 2, ServerStatus.CONNECTING);

        var update = all("a");
        assertThat(update.instances()).hasSize(1);
        assertThat(detail(update).logs().entries()).hasSize(1);
    }

    @Test
    void tellsWhatWasRemovedUnlessItCameBack() throws Exception {
        put("a", 1, ServerStatus.ONLINE);
        put("b", 1, ServerStatus.ONLINE);
        var known = all(null);

        board.removed("a");
        board.removed("b");
        put("b", 9, ServerStatus.CONNECTING);

        var update = after(known);
        assertThat(update.removed()).containsExactly("a");
        assertThat(update.instances()).extracting(InstanceView::processId).containsExactly("b");
    }

    @Test
    void forgetsTheInstanceThatHasNotChangedForLongest() throws Exception {
        put("a", 1, ServerStatus.ONLINE);
        put("b", 1, ServerStatus.ONLINE);
        put("c", 1, ServerStatus.ONLINE);
        put("a", 2, ServerStatus.ERROR);
        var known = all(null);

        put("d", 1, ServerStatus.ONLINE);

        assertThat(after(known).removed()).containsExactly("b");
        assertThat(board.known().reading().forgottenInstances()).isEqualTo(1);
        assertThat(all(null).instances())
                .extracting(InstanceView::processId)
                .containsExactlyInAnyOrder("a", "c", "d");
    }

    @Test
    void keepsHistoryWithinItsMemoryAndCountsWhatGaveWay() throws Exception {
        var line = "x".repeat(1000);
        board.event(logs("a", 1, line), new RecordId(1, 1), 5);
        for (int seq = 1; seq <= 20; seq++) {
            board.event(logs("b", seq, line), new RecordId(1, seq), 5);
        }

        assertThat(detail(all("a")).logs().entries()).isEmpty();
        assertThat(detail(all("a")).logs().dropped()).isEqualTo(1);
        var kept = detail(all("b")).logs();
        assertThat(kept.entries()).hasSize(4);
        assertThat(kept.dropped()).isEqualTo(16);
        assertThat(board.known().reading().droppedEntries()).isEqualTo(17);
    }

    @Test
    void tellsASlowViewerThatItMissedLines() throws Exception {
        put("a", 1, ServerStatus.ONLINE);
        board.event(logs("a", 2, "known"), new RecordId(1, 2), 5);
        var known = all("a");
        for (int seq = 3; seq <= 600; seq++) {
            board.event(logs("a", seq, "l"), new RecordId(1, seq), 5);
        }

        assertThat(detail(known).logs().gap()).isFalse();
        var slice = detail(after(known, "a")).logs();
        assertThat(slice.gap()).isTrue();
        assertThat(slice.entries().size() + slice.dropped()).isEqualTo(599);
    }

    @Test
    void beginsAnewForWhoKnowsAnotherBoard() throws Exception {
        put("a", 1, ServerStatus.ONLINE);

        var update = board.await(new Cursor("another", 99), "a", 99, Duration.ZERO);

        assertThat(update.reset()).isTrue();
        assertThat(update.instances()).hasSize(1);
        assertThat(detail(update).statuses().entries()).hasSize(1);
    }

    @Test
    void wakesWhoWaits() throws Exception {
        put("a", 1, ServerStatus.ONLINE);
        var known = all(null);
        var told =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return board.await(known.cursor(), null, 0, Duration.ofSeconds(30));
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });

        put("a", 2, ServerStatus.ERROR);

        assertThat(told.get(30, TimeUnit.SECONDS).instances().getFirst().status())
                .isEqualTo("error");
    }

    @Test
    void knowsTheProcessFromEventsAndHeartbeatsWhicheverIsNewer() throws Exception {
        put("a", 1, ServerStatus.ONLINE);
        board.heartbeat(heartbeat(10, 1L));
        assertThat(all(null).instances().getFirst().pid()).isEqualTo(1);
        assertThat(all(null).instances().getFirst().startedAt()).isEqualTo(NOON);

        board.event(crash("a", 20), new RecordId(1, 20), 5);
        board.heartbeat(heartbeat(15, 1L));
        assertThat(all(null).instances().getFirst().pid()).isNull();

        board.event(
                event("a", 30, new EventBody.Restarted(1L, 4711L, 1, "crash")),
                new RecordId(1, 30),
                5);
        assertThat(all(null).instances().getFirst().pid()).isEqualTo(4711);
    }

    @Test
    void saysNothingOfAHeartbeatThatSaysNothingNew() throws Exception {
        put("a", 1, ServerStatus.ONLINE);
        board.heartbeat(heartbeat(10, 1L));
        var known = all(null);

        board.heartbeat(heartbeat(40, 1L));

        assertThat(after(known).instances()).isEmpty();
    }

    @Test
    void showsWhatFillsAWorkersMachine() {
        var told = Json.tree(Json.write(FleetView.WorkerFacts.of(heartbeat(10, 1L))));

        assertThat(told.path("cpu_load").asDouble()).isEqualTo(0.1);
        assertThat(told.path("memory_used_bytes").asLong()).isEqualTo(1);
        assertThat(told.path("servers_cpu_load").asDouble()).isEqualTo(0.2);
        assertThat(told.path("servers_memory_bytes").asLong()).isEqualTo(3);
        assertThat(told.path("servers_process_count").asInt()).isEqualTo(4);
        assertThat(told.path("host_cpu_load").asDouble()).isEqualTo(0.3);
        assertThat(told.path("host_memory_available_bytes").asLong()).isEqualTo(5);
        assertThat(told.path("host_memory_max_bytes").asLong()).isEqualTo(6);
    }

    @Test
    void leavesOutWhatAnOlderWorkerDoesNotTell() {
        var old =
                RawJson.of(
                        """
                        {"event":"perigee.worker.heartbeat","worker_id":"w","incarnation":"i",
                         "status":"running","version":"0","uptime_seconds":1,"cpu_load":0,
                         "memory_used_bytes":1,"memory_max_bytes":2,"processes_by_team":{},
                         "counts_by_state":{},"dormant_count":0,"partitions":[],
                         "timestamp":"2026-11-20T10:00:00Z"}
                        """);

        var told = Json.tree(Json.write(FleetView.WorkerFacts.of(Json.read(old, Heartbeat.class))));

        assertThat(told.path("memory_max_bytes").asLong()).isEqualTo(2);
        assertThat(told.propertyNames())
                .noneMatch(name -> name.startsWith("servers_") || name.startsWith("host_"));
    }

    private static Heartbeat heartbeat(int second, long pid) {
        var process =
                new Heartbeat.ProcessSummary(
                        "a",
                        "inst",
                        "user",
                        "everything",
                        null,
                        "running",
                        null,
                        false,
                        pid,
                        second,
                        "ok",
                        null,
                        0,
                        3,
                        0,
                        0,
                        null,
                        List.of("echo"));
        return new Heartbeat(
                Heartbeat.EVENT,
                "worker-1",
                "i",
                "running",
                "1",
                100,
                0.1,
                1,
                2,
                0.2,
                3L,
                4,
                0.3,
                5L,
                6L,
                Map.of("team", List.of(process)),
                Map.of("running", 1),
                0,
                List.of(5),
                "none",
                null,
                NOON.plusSeconds(second));
    }
}
