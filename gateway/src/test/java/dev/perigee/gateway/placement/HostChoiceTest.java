package dev.perigee.gateway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.SessionNotice;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class HostChoiceTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final Duration RETENTION = Duration.ofSeconds(30);
    private static final Duration WHOLE = Duration.ofSeconds(10 + 30 + 5);
    private static final RecordedHost RECORDED = new RecordedHost("worker-1", "first");
    private static final WorkerView OTHER =
            worker("worker-2", "x", LinkState.CONNECTED, null, false);

    private final HostChoice choice =
            new HostChoice(
                    new SafetyWindow(
                            Duration.ofSeconds(10),
                            Duration.ofSeconds(75),
                            Duration.ofSeconds(60),
                            Duration.ofSeconds(5)),
                    Duration.ofSeconds(30));

    private static WorkerView worker(
            @Nullable String id,
            @Nullable String incarnation,
            LinkState state,
            @Nullable Instant goneSince,
            boolean draining) {
        return new WorkerView(
                URI.create("ws://127.0.0.1:7070/link"),
                id,
                incarnation,
                state,
                NOW,
                goneSince,
                id == null ? null : RETENTION,
                Hello.USUAL_CAPACITY,
                draining ? SessionNotice.Phase.DRAINING : SessionNotice.Phase.SERVING,
                null,
                false);
    }

    private HostDecision choose(
            @Nullable RecordedHost recorded, Instant ownedUntil, WorkerView... workers) {
        return choice.choose(3, recorded, new LastHeld(null, ownedUntil), List.of(workers), NOW);
    }

    private static Instant until(HostDecision decision) {
        assertThat(decision).isInstanceOf(HostDecision.Wait.class);
        return ((HostDecision.Wait) decision).until();
    }

    @Test
    void theRecordedHostWinsWhileItLives() {
        var host = worker("worker-1", "first", LinkState.CONNECTED, null, false);

        for (var partition = 0; partition < 20; partition++) {
            assertThat(
                            choice.choose(
                                    partition,
                                    RECORDED,
                                    LastHeld.gained(NOW),
                                    List.of(OTHER, host),
                                    NOW))
                    .isEqualTo(new HostDecision.Place("worker-1"));
        }
    }

    @Test
    void aNewPartitionWaitsAMomentForWorkersThatWereNotHeardOf() {
        var unheard = worker(null, null, LinkState.CONNECTING, null, false);

        assertThat(until(choose(null, NOW, OTHER, unheard))).isEqualTo(NOW.plusSeconds(5));
        assertThat(choose(null, NOW.minusSeconds(5), OTHER, unheard))
                .isEqualTo(new HostDecision.Place("worker-2"));
        assertThat(choose(null, NOW, OTHER)).isEqualTo(new HostDecision.Place("worker-2"));
    }

    @Test
    void aRecoveringHostIsWaitedForByItsLink() {
        var host = worker("worker-1", "first", LinkState.RECOVERING, NOW, false);

        assertThat(choose(RECORDED, NOW, OTHER, host))
                .isEqualTo(new HostDecision.Place("worker-1"));
    }

    @Test
    void aNewIncarnationKeepsItsPartitions() {
        var host = worker("worker-1", "second", LinkState.CONNECTED, null, false);

        assertThat(choose(RECORDED, NOW, OTHER, host))
                .isEqualTo(new HostDecision.Place("worker-1"));
    }

    @Test
    @DisplayName("FLT-01: nothing is placed elsewhere before the processes are surely dead")
    void waitsForTheWholeWindowAfterALostHost() {
        var gone = NOW.minus(WHOLE).plusMillis(1);
        var host = worker("worker-1", "first", LinkState.FAILED, gone, false);

        assertThat(until(choose(RECORDED, NOW.minusSeconds(600), OTHER, host)))
                .isEqualTo(gone.plus(WHOLE));
    }

    @Test
    void placesElsewhereWhenTheWindowHasPassed() {
        var host = worker("worker-1", "first", LinkState.FAILED, NOW.minus(WHOLE), false);

        assertThat(choose(RECORDED, NOW.minusSeconds(600), OTHER, host))
                .isEqualTo(new HostDecision.Place("worker-2"));
    }

    @Test
    void theWindowBeginsWhenTheLastOwnerMayHaveHadIt() {
        var host = worker("worker-1", "first", LinkState.FAILED, NOW.minusSeconds(600), false);

        assertThat(until(choose(RECORDED, NOW, OTHER, host))).isEqualTo(NOW.plus(WHOLE));
    }

    @ParameterizedTest
    @EnumSource(
            value = LinkState.class,
            names = {"CONNECTING", "FAILED"})
    void aNewIncarnationProvesTheOldProcessesDead(LinkState state) {
        var host = worker("worker-1", "second", state, NOW, false);

        assertThat(choose(RECORDED, NOW, OTHER, host))
                .isEqualTo(new HostDecision.Place("worker-2"));
    }

    @Test
    @DisplayName("OWN-14: a process that is proved dead is not waited for by who had the session")
    void aDeadHostIsLeftAtOnce() {
        var held = LastHeld.gained(NOW).byThisOnly();

        assertThat(choice.choose(3, RECORDED, held, List.of(OTHER, dead("first")), NOW))
                .isEqualTo(new HostDecision.Place("worker-2"));
    }

    @Test
    @DisplayName("OWN-01: a proof says nothing of what another gateway had there since")
    void aProofIsWorthNothingForOthers() {
        var held = LastHeld.gained(NOW);

        assertThat(until(choice.choose(3, RECORDED, held, List.of(OTHER, dead("first")), NOW)))
                .isEqualTo(NOW.plusSeconds(75 + 30 + 5));
    }

    @Test
    @DisplayName("OWN-01: what is known of an older process says nothing of the recorded one")
    void anOlderIncarnationThatIsOutOfSightProvesNothing() {
        var gained = LastHeld.gained(NOW);
        var failed = worker("worker-1", "older", LinkState.FAILED, NOW.minusSeconds(600), false);
        var connected = worker("worker-1", "newer", LinkState.CONNECTED, null, true);

        for (var older : List.of(failed, dead("older"))) {
            assertThat(until(choice.choose(3, RECORDED, gained, List.of(OTHER, older), NOW)))
                    .isEqualTo(NOW.plusSeconds(75 + 30 + 5));
        }
        assertThat(choice.choose(3, RECORDED, gained, List.of(OTHER, connected), NOW))
                .isEqualTo(new HostDecision.Place("worker-2"));
    }

    @Test
    @DisplayName("OWN-13: the window begins when the connection ended, not when it was given up")
    void theWindowBeginsWithTheEndOfTheConnection() {
        var ended = NOW.minusSeconds(25);
        var host = worker("worker-1", "first", LinkState.FAILED, ended, false);
        var held = LastHeld.gained(NOW.minusSeconds(600)).byThisOnly().until(ended);

        assertThat(until(choice.choose(3, RECORDED, held, List.of(OTHER, host), NOW)))
                .isEqualTo(ended.plus(WHOLE));
        assertThat(held.until(ended.minusSeconds(1))).isEqualTo(held);
    }

    private static WorkerView dead(String incarnation) {
        return new WorkerView(
                URI.create("ws://127.0.0.1:7070/link"),
                "worker-1",
                incarnation,
                LinkState.FAILED,
                NOW,
                NOW,
                RETENTION,
                Hello.USUAL_CAPACITY,
                SessionNotice.Phase.SERVING,
                null,
                true);
    }

    @Test
    void aHostThatWasNeverReachedIsGivenTheLongestRetention() {
        var unknown = worker(null, null, LinkState.CONNECTING, null, false);

        assertThat(until(choose(RECORDED, NOW, OTHER, unknown)))
                .isEqualTo(NOW.plusSeconds(10 + 60 + 5));
        assertThat(choose(RECORDED, NOW.minusSeconds(75), OTHER, unknown))
                .isEqualTo(new HostDecision.Place("worker-2"));
    }

    @Test
    void aDrainingHostIsAskedForWhatItHas() {
        var host = worker("worker-1", "first", LinkState.CONNECTED, null, true);

        assertThat(choose(RECORDED, NOW, OTHER, host))
                .isEqualTo(new HostDecision.Place("worker-1"));
    }

    @Test
    void aDrainingHostThatRestartedHasNothing() {
        var host = worker("worker-1", "second", LinkState.CONNECTED, null, true);

        assertThat(choose(RECORDED, NOW, OTHER, host))
                .isEqualTo(new HostDecision.Place("worker-2"));
    }

    @Test
    void aDrainingHostThatIsLostIsLeftAfterItsWindow() {
        var host = worker("worker-1", "first", LinkState.FAILED, NOW, true);

        assertThat(until(choose(RECORDED, NOW, OTHER, host))).isEqualTo(NOW.plus(WHOLE));
    }

    @Test
    void aLargerWorkerGetsMore() {
        var large =
                new WorkerView(
                        URI.create("ws://127.0.0.1:7071/link"),
                        "worker-3",
                        "x",
                        LinkState.CONNECTED,
                        NOW,
                        null,
                        RETENTION,
                        3 * Hello.USUAL_CAPACITY,
                        SessionNotice.Phase.SERVING,
                        null,
                        false);
        long won =
                IntStream.range(0, 1_000)
                        .mapToObj(
                                p ->
                                        choice.choose(
                                                p,
                                                null,
                                                LastHeld.gained(NOW),
                                                List.of(OTHER, large),
                                                NOW))
                        .filter(new HostDecision.Place("worker-3")::equals)
                        .count();

        assertThat(won).isBetween(680L, 820L);
    }

    @Test
    @DisplayName("OWN-01: another gateway's lease is waited out once, from when this one gained it")
    void waitsForTheLeaseOfOthers() {
        var gone = worker("worker-1", "first", LinkState.FAILED, NOW.minusSeconds(60), false);
        var gained = NOW.minusSeconds(20);
        var others = new LastHeld(gained, NOW);

        assertThat(until(choice.choose(3, RECORDED, LastHeld.gained(gained), List.of(gone), NOW)))
                .isEqualTo(gained.plusSeconds(75 + 30 + 5));
        assertThat(until(choice.choose(3, RECORDED, others.byThisOnly(), List.of(gone), NOW)))
                .isEqualTo(NOW.plus(WHOLE));
        assertThat(
                        choice.choose(
                                3,
                                RECORDED,
                                LastHeld.gained(NOW.minusSeconds(75 + 30 + 5)),
                                List.of(gone, OTHER),
                                NOW))
                .isEqualTo(new HostDecision.Place("worker-2"));
        assertThat(until(choice.choose(3, RECORDED, LastHeld.gained(NOW), List.of(OTHER), NOW)))
                .isEqualTo(NOW.plusSeconds(75 + 60 + 5));
    }

    @Test
    void aNewPartitionGoesToAnyConnectedWorkerThatStays() {
        var draining = worker("worker-1", "first", LinkState.CONNECTED, null, true);
        var recovering = worker("worker-3", "first", LinkState.RECOVERING, NOW, false);

        for (var partition = 0; partition < 20; partition++) {
            assertThat(
                            choice.choose(
                                    partition,
                                    null,
                                    LastHeld.gained(NOW),
                                    List.of(draining, recovering, OTHER),
                                    NOW))
                    .isEqualTo(new HostDecision.Place("worker-2"));
        }
    }

    @Test
    void waitsWhereNobodyIsReachable() {
        var failed = worker("worker-1", "first", LinkState.FAILED, NOW, false);

        assertThat(until(choose(null, NOW, failed))).isAfter(NOW);
        assertThat(until(choose(null, NOW))).isAfter(NOW);
    }
}
