package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.protocol.link.SessionNotice;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The choice of a worker")
final class ChoiceTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(30);
    private static final StateRecord.Host HERE = new StateRecord.Host("w-1", "first");

    @Test
    @DisplayName("is the recorded process only while that answers")
    void recorded() {
        assertThat(place("w-1", "first")).isEqualTo(OwnerEvent.HOST_CHOSEN);
        assertThat(place("w-1", "second")).isEqualTo(OwnerEvent.OTHER_CHOSEN);
        assertThat(place("w-2", "first")).isEqualTo(OwnerEvent.OTHER_CHOSEN);
    }

    @Test
    @DisplayName("has the process that answers, which is what is recorded")
    void process() {
        var workers = List.of(worker("w-1", "second", LinkState.CONNECTED));
        var choice = Choice.of(new HostDecision.Place("w-1"), null, workers, NOW);
        assertThat(choice.host()).isEqualTo(new StateRecord.Host("w-1", "second"));
    }

    @Test
    @DisplayName("is looked at again soon where its worker is gone")
    void gone() {
        var choice = Choice.of(new HostDecision.Place("w-2"), HERE, List.of(), NOW);
        assertThat(choice).isEqualTo(new Choice(OwnerEvent.NOT_THERE, null, NOW.plusMillis(200)));
        assertThat(place("w-2", null)).isEqualTo(OwnerEvent.NOT_THERE);
    }

    @Test
    @DisplayName("OWN-13: says that the recorded worker is given up, when its link is")
    void givenUp() {
        assertThat(await(HERE, LinkState.FAILED)).isEqualTo(OwnerEvent.HOST_GIVEN_UP);
        assertThat(await(HERE, LinkState.CONNECTING)).isEqualTo(OwnerEvent.NO_WORKER);
        assertThat(await(null, LinkState.FAILED)).isEqualTo(OwnerEvent.NO_WORKER);
    }

    private static OwnerEvent place(String workerId, @Nullable String incarnation) {
        var workers = List.of(worker(workerId, incarnation, LinkState.CONNECTED));
        return Choice.of(new HostDecision.Place(workerId), HERE, workers, NOW).event();
    }

    private static OwnerEvent await(StateRecord.@Nullable Host recorded, LinkState link) {
        var workers = List.of(worker("w-1", "first", link));
        var choice = Choice.of(new HostDecision.Wait(LATER, "not yet"), recorded, workers, NOW);
        assertThat(choice.lookAgain()).isEqualTo(LATER);
        return choice.event();
    }

    private static WorkerView worker(
            String workerId, @Nullable String incarnation, LinkState state) {
        return new WorkerView(
                URI.create("ws://" + workerId),
                workerId,
                incarnation,
                state,
                Instant.EPOCH,
                null,
                Duration.ofSeconds(30),
                1,
                SessionNotice.Phase.SERVING,
                null,
                false);
    }
}
