package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.quarantine.Death;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice.Phase;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("TEN-10: an instance under which workers died")
final class TrialTest {
    private static final Duration TRIAL = Duration.ofSeconds(20);
    private static final Duration TURN = Duration.ofSeconds(2);

    @AutoClose private final OwnedPartition partition = new OwnedPartition();
    private String suspect = "";

    @BeforeEach
    void suspect() {
        suspect = partition.installed("i-1");
        partition.before(
                partition
                        .stateTopic()
                        .suspicion(
                                suspect,
                                new Suspicion(
                                        List.of(death("w1"), death("w2")),
                                        false,
                                        false,
                                        false,
                                        false,
                                        null)));
    }

    @Test
    @DisplayName("is not run with the others, but alone, and is free when the worker lives")
    void passes() {
        var session = partition.serve();
        assertThat(partition.partitions.quarantined()).isEqualTo(1);
        assertThat(quarantineOf(session.orders.getFirst())).isNotNull();
        started(session);

        passesInTime();

        assertThat(session.asked).contains("trial null");
        TestWaits.until("free", () -> partition.partitions.quarantined() == 0);
    }

    @Test
    @DisplayName("waits while another has the place")
    void placeTaken() {
        partition.begin();
        var session = partition.opened(1);
        session.agree(false);
        session.attach();
        TestWaits.until(
                "asked again",
                () -> {
                    partition.later(TURN);
                    return trials(session) > 1;
                });
        assertThat(session.orders).as("it is not started").hasSize(1);
    }

    @Test
    @DisplayName("is tried on a worker that knows no such place as well, which proves nothing")
    void olderWorker() {
        partition.begin();
        var session = partition.opened(1);
        session.failTrials(Reason.REJECTED);
        session.attach();
        started(session);

        passesInTime();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Reason.class,
            names = {"OVERLOADED", "TOO_LARGE", "REJECTED", "DRAINING"})
    @DisplayName("that cannot be started gives the place back, and gets its turn again")
    void notStarted(Reason reason) {
        var session = serveSlowly();

        session.orders.get(1).fail(reason);

        TestWaits.until("given back", () -> session.asked.contains("trial null"));
        TestWaits.until(
                "asked again",
                () -> {
                    partition.later(TURN);
                    return trials(session) > 1;
                });
    }

    @Test
    @DisplayName("whose start takes long is watched all the same")
    void slowStart() {
        var session = serveSlowly();
        session.orders.get(1).fail(Reason.DEADLINE);
        passesInTime();
        assertThat(trials(session)).isEqualTo(1);
    }

    @Test
    @DisplayName("is watched on when nobody says that the worker lives")
    void endUnknown() {
        var session = partition.serve();
        started(session);
        session.failTrials(Reason.DEADLINE);
        TestWaits.until(
                "asked",
                () -> {
                    partition.later(TRIAL);
                    return session.asked.contains("trial null");
                });
        partition.settle();
        assertThat(noted().tried()).isFalse();

        session.failTrials(null);
        passesInTime();
    }

    @Test
    @DisplayName("on trial under which one more worker dies is held until a command")
    void convicted() {
        var first = partition.serve();
        started(first);

        first.lose(LinkFailure.DEAD);
        TestWaits.until("held", () -> noted().held());
        partition.worker.are(
                ScriptedWorker.view(ScriptedWorker.ID, "w/2", LinkState.CONNECTED, Phase.SERVING));
        TestWaits.until(
                "opened again",
                () -> {
                    partition.later(TURN);
                    return partition.worker.sessions.size() == 2;
                });
        var second = partition.attach(2);
        var quarantine = quarantineOf(second.orders.getFirst());
        assertThat(Objects.requireNonNull(quarantine).held()).isTrue();
        assertThat(trials(second)).isZero();

        partition.command(
                """
                {"id":"c-1","command_type":"restart","payload":{"installation_id":"i-1",
                 "team_id":"t1","user_id":"alice"}}""");
        TestWaits.until("released", () -> !noted().held());
    }

    @Test
    @DisplayName("is left to a command that comes meanwhile")
    void commanded() {
        var session = partition.serve();
        started(session);
        partition.command(
                """
                {"id":"c-1","command_type":"restart","payload":{"installation_id":"i-1",
                 "team_id":"t1","user_id":"alice"}}""");
        TestWaits.until("given back", () -> session.asked.contains("trial null"));
        partition.result("c-1", 2);
        assertThat(noted().tried()).isFalse();
    }

    @Test
    @DisplayName("goes on when the link was down")
    void linkDown() {
        var session = partition.serve();
        started(session);
        session.suspend();
        session.attach(true, List.of());
        passesInTime();
    }

    @Test
    @DisplayName("is free at once when a worker answers that was taken for dead")
    void answers() {
        var session = partition.serve();
        started(session);
        partition.worker.are(
                ScriptedWorker.view(
                        ScriptedWorker.ID,
                        ScriptedWorker.INCARNATION,
                        LinkState.CONNECTED,
                        Phase.SERVING),
                ScriptedWorker.view("w1", "w1/1", LinkState.CONNECTED, Phase.SERVING));
        partition.partitions.workersChanged();

        TestWaits.until("one death less", () -> noted().deaths().size() == 1);
        TestWaits.until("free", () -> partition.partitions.quarantined() == 0);
        TestWaits.until("given back", () -> session.asked.contains("trial null"));
    }

    /** Its second order is the one that starts it alone, which is not carried out yet. */
    private ScriptedSession serveSlowly() {
        partition.begin();
        var session = partition.opened(1);
        session.obey(false);
        session.attach();
        TestWaits.until("started", () -> session.orders.size() == 2);
        return session;
    }

    /** It is started alone, and its time begins. */
    private void started(ScriptedSession session) {
        TestWaits.until("started", () -> session.orders.size() == 2);
        var order = session.orders.get(1);
        assertThat(order.method).isEqualTo(LinkMethod.APPLY);
        assertThat(quarantineOf(order)).isNull();
        assertThat(session.asked).contains("trial " + suspect);
    }

    /** Its time begins when its own thread has said that it was started. */
    private void passesInTime() {
        TestWaits.until(
                "passed",
                () -> {
                    partition.later(TRIAL);
                    return noted().tried();
                });
    }

    private long trials(ScriptedSession session) {
        return session.asked.stream().filter(("trial " + suspect)::equals).count();
    }

    private InstanceOrder.@Nullable Quarantine quarantineOf(ScriptedOrder order) {
        return order.apply().quarantine();
    }

    /** What is noted against it last. */
    private Suspicion noted() {
        var last =
                partition.written(Topic.STATE).stream()
                        .filter(
                                record ->
                                        OwnedPartition.text(record.key())
                                                .equals("suspicion/" + suspect))
                        .toList()
                        .getLast();
        return last.value() == null ? Suspicion.NONE : Json.read(last.value(), Suspicion.class);
    }

    private Death death(String worker) {
        return new Death(
                worker,
                worker + "/1",
                partition.now().minusSeconds(60),
                Duration.ofHours(3).toMillis(),
                false);
    }
}
