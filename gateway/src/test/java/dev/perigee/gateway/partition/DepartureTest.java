package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.Move;
import dev.perigee.gateway.placement.Move.Manner;
import dev.perigee.gateway.placement.MoveLimits;
import dev.perigee.gateway.placement.MovePlanner;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice.Phase;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A partition that is to leave its worker")
final class DepartureTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @AutoClose private final OwnedPartition partition = new OwnedPartition();
    private final Heard heard = new Heard();

    @Test
    @DisplayName("waits for its calls and the commit of their answers, then the worker ends it")
    void quiet() {
        var journal = new ScriptedJournal(partition, partition.installed("i-1"), 0);
        var first = partition.serve();
        var origin = partition.call("r-1");
        TestWaits.until("sent", () -> first.calls.size() == 1);
        move(Manner.QUIET);
        TestWaits.until("moving", () -> partition.state() == OwnerState.MOVING);
        partition.call("r-2");
        partition.settle();
        assertThat(first.calls).as("nothing new is sent").hasSize(1);
        assertThat(first.asked).doesNotContain("release");

        first.event(journal.result("r-1", origin), 1);
        partition.answer("r-1");
        partition.awaitDone(1);

        awaitReleased(first);
        journal.awaitAcknowledged(first, 0);
        first.lose(LinkFailure.ENDED);
        var second = partition.attach(2);
        TestWaits.until("served", () -> heard.all.contains("served 0"));
        TestWaits.until("sent", () -> second.calls.size() == 1);
    }

    @Test
    @DisplayName("stays when its calls take too long and it may")
    void takesTooLong() {
        partition.installed("i-1");
        var session = partition.serve();
        partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        move(Manner.QUIET);
        TestWaits.until("moving", () -> partition.state() == OwnerState.MOVING);
        partition.call("r-2");

        partition.later(SECOND);

        TestWaits.until("stayed", () -> heard.all.contains("stayed 0: 0 processes, 1 requests"));
        TestWaits.until("what waited is sent", () -> session.calls.size() == 2);
        assertThat(session.asked).doesNotContain("release");
    }

    @Test
    @DisplayName("goes with the calls that are left when it must")
    void forced() {
        partition.installed("i-1");
        var session = partition.serve();
        partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        move(Manner.FORCED);
        TestWaits.until("moving", () -> partition.state() == OwnerState.MOVING);
        assertThat(session.asked).doesNotContain("release");

        partition.later(OwnedPartition.CALL_WAIT);

        awaitReleased(session);
    }

    @Test
    @DisplayName("stays when it is not idle, as its worker says")
    void notIdle() {
        var session = partition.serve();
        session.release(new Attach.Released(false, 2, 1));
        move(Manner.IDLE);
        TestWaits.until(
                "stayed",
                () -> {
                    partition.commit();
                    return heard.all.contains("stayed 0: 2 processes, 1 requests");
                });
        assertThat(session.asked).contains("release if idle").doesNotContain("release");
        assertThat(partition.state()).isEqualTo(OwnerState.SERVING);
    }

    @Test
    @DisplayName("stays without a commit: it could not be placed anew either")
    void noCommit() {
        var session = partition.serve();
        partition.request(
                """
                {"request_id":"r-1","team_id":"t1","user_id":"alice","method":"tools/list"}""");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        var origin = session.calls.getFirst().order.origin();
        session.event(new ScriptedJournal(partition, "-", 0).result("r-1", origin), 1);
        partition.answer("r-1");
        partition.later(SECOND);
        move(Manner.IDLE);
        partition.later(SECOND);
        TestWaits.until("stayed", () -> !heard.all.isEmpty());
        assertThat(session.asked).doesNotContain("release if idle");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Manner.class,
            names = {"IDLE", "FORCED"})
    @DisplayName("that its worker does not answer stays, or asks again when it must go")
    void noAnswer(Manner manner) {
        var session = partition.serve();
        session.fail(Reason.DEADLINE);
        move(manner);
        TestWaits.until(
                "asked",
                () -> {
                    partition.commit();
                    return session.asked.stream().anyMatch(asked -> asked.startsWith("release"));
                });
        if (manner == Manner.IDLE) {
            TestWaits.until(
                    "stayed", () -> heard.all.contains("stayed 0: 0 processes, 1 requests"));
        } else {
            TestWaits.until(
                    "asked again",
                    () -> {
                        partition.later(SECOND);
                        return session.asked.stream().filter("release"::equals).count() >= 2;
                    });
        }
    }

    @Test
    @DisplayName("has nothing to leave while it is not served, or is leaving already")
    void nothingToLeave() {
        partition.begin();
        partition.opened(1);
        move(Manner.FORCED);
        TestWaits.until("stayed", () -> heard.all.contains("stayed 0: 0 processes, 0 requests"));

        var session = partition.attach(1);
        session.release(new Attach.Released(true, 0, 0));
        move(Manner.FORCED);
        move(Manner.FORCED);
        TestWaits.until("stayed", () -> heard.all.size() == 2);
    }

    @Test
    @DisplayName("that an earlier owner released is released to the end")
    void goesOn() {
        partition.begin();
        var session = partition.opened(1);
        session.attachEnding();
        TestWaits.until("released", () -> session.asked.contains("release"));
        assertThat(partition.state()).isEqualTo(OwnerState.MOVING);

        session.lose(LinkFailure.ENDED);
        partition.attach(2);
    }

    @Test
    @DisplayName("has the packages of its servers prepared where it goes to")
    void warms() {
        partition.installed(OwnerBench.config("alice", "i-1", "npx"));
        var session = partition.serve();
        move(Manner.FORCED);
        TestWaits.until("prepared", () -> partition.worker.prepared.contains("w i-1"));
        awaitReleased(session);
    }

    @Test
    @DisplayName("is moved off a worker that drains, and back on another one it is served")
    void moved() {
        var first = partition.serve();
        try (var mover = mover()) {
            mover.start();
            partition.worker.are(
                    worker(ScriptedWorker.ID, Phase.DRAINING), worker("other", Phase.SERVING));
            mover.workersChanged();
            awaitReleased(first);
            partition.host(new HostDecision.Place("other"));
            first.lose(LinkFailure.ENDED);
            partition.attach(2);
            TestWaits.until(
                    "counted",
                    () -> partition.count("perigee.gateway.moves", "manner", "forced") == 1);
        }
    }

    @Test
    @DisplayName("stays on a worker that drains while there is no other, which is told why")
    void stuck() {
        partition.serve();
        try (var mover = mover()) {
            partition.worker.failLook(new IllegalStateException("a defect"));
            mover.start();
            TestWaits.until(
                    "survived",
                    () -> partition.count("perigee.gateway.failures", "where", "mover") == 1);
            partition.worker.are(worker(ScriptedWorker.ID, Phase.DRAINING));
            mover.workersChanged();
            TestWaits.until("stay sent", () -> !partition.worker.stays.isEmpty());
            assertThat(partition.worker.stays.getFirst()).startsWith("w: ");
        }
    }

    @Test
    @DisplayName("is asked for again when a move comes to nothing")
    void movedInVain() {
        var session = partition.serve();
        session.fail(Reason.DEADLINE);
        var limits =
                new MoveLimits(Duration.ZERO, Duration.ZERO, Duration.ZERO, 1, Duration.ofHours(1));
        try (var mover =
                new Mover(
                        partition.partitions,
                        partition.worker,
                        new MovePlanner(limits),
                        new GatewayMetrics(partition.metrics, OwnedPartition.NAMES),
                        InstantSource.system())) {
            mover.start();
            // By rendezvous hashing one of many others is the better one.
            partition.worker.are(
                    Stream.concat(
                                    Stream.of(worker(ScriptedWorker.ID, Phase.SERVING)),
                                    IntStream.range(0, 50)
                                            .mapToObj(i -> worker("other-" + i, Phase.SERVING)))
                            .toArray(WorkerView[]::new));
            TestWaits.until(
                    "asked twice",
                    () -> {
                        mover.workersChanged();
                        partition.commit();
                        return session.asked.stream().filter("release if idle"::equals).count()
                                >= 2;
                    });
        }
    }

    private Mover mover() {
        var limits =
                new MoveLimits(
                        Duration.ofHours(1),
                        Duration.ofHours(1),
                        Duration.ZERO,
                        1,
                        Duration.ofHours(1));
        return new Mover(
                partition.partitions,
                partition.worker,
                new MovePlanner(limits),
                new GatewayMetrics(partition.metrics, OwnedPartition.NAMES),
                InstantSource.system());
    }

    /** Until it is asked to end the session, which follows a commit. */
    private void awaitReleased(ScriptedSession session) {
        TestWaits.until(
                "released",
                () -> {
                    partition.commit();
                    return session.asked.contains("release");
                });
    }

    private void move(Manner manner) {
        partition.partitions.move(new Move(0, manner), heard);
    }

    private static WorkerView worker(String id, Phase phase) {
        return ScriptedWorker.view(id, id + "/1", LinkState.CONNECTED, phase);
    }

    /** What became of moves. */
    private static final class Heard implements Departure.Listener {
        private final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void stayed(int partition, int processes, int requests) {
            all.add(
                    "stayed %d: %d processes, %d requests"
                            .formatted(partition, processes, requests));
        }

        @Override
        public void served(int partition) {
            all.add("served " + partition);
        }
    }
}
