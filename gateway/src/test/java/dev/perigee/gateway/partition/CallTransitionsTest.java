package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.gateway.partition.CallFacts.Rounds;
import dev.perigee.gateway.partition.CallTransitions.Transition;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The transitions of a request")
final class CallTransitionsTest {
    private static final Path PAGE = Path.of("../docs/reference/requests.md");
    private static final CallFacts PLAIN =
            new CallFacts(true, true, true, 0, false, true, false, Rounds.NONE);

    private static final List<Rounds> ROUNDS = List.of(Rounds.values());

    static Stream<Transition> all() {
        return CallTransitions.all().stream();
    }

    @ParameterizedTest
    @MethodSource("all")
    @DisplayName("are each taken under some facts: none is hidden by those before it")
    void each(Transition row) {
        assertThat(facts())
                .as("facts under which it is taken")
                .anySatisfy(
                        facts ->
                                assertThat(CallTransitions.next(row.from(), row.event(), facts))
                                        .isSameAs(row));
    }

    @Test
    @DisplayName("are there for every fact of a stage and event that have any")
    void complete() {
        for (var row : CallTransitions.all()) {
            for (var facts : facts().toList()) {
                assertThat(CallTransitions.next(row.from(), row.event(), facts)).isNotNull();
            }
        }
    }

    @Test
    @DisplayName("are refused where there is none")
    void illegal() {
        for (var stage : CallStage.values()) {
            for (var event : CallEvent.values()) {
                if (all().noneMatch(row -> row.from() == stage && row.event() == event)) {
                    assertThatThrownBy(() -> CallTransitions.next(stage, event, PLAIN))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining(stage.toString())
                            .hasMessageContaining(event.toString());
                }
            }
        }
        assertThat(all()).noneMatch(row -> row.from() == CallStage.ENDED);
    }

    @Test
    @DisplayName("bring an answer with each end, and an end with each answer")
    void oneAnswer() {
        var answering =
                List.of(CallAction.ANSWER, CallAction.RELAY, CallAction.PUBLISH, CallAction.SETTLE);
        assertThat(all())
                .allMatch(row -> (row.to() == CallStage.ENDED) == answering.contains(row.action()));
        assertThat(all())
                .filteredOn(row -> row.action() == CallAction.ANSWER)
                .allMatch(row -> row.event() == CallEvent.REFUSED || row.answer() != null);
    }

    @Test
    @DisplayName("send a request whose worker died once more, and never to a third")
    void workerDies() {
        var once = CallTransitions.next(CallStage.ACCEPTED, CallEvent.SESSION_GONE, PLAIN);
        assertThat(once.to()).isEqualTo(CallStage.QUEUED);
        assertThat(once.ran()).isTrue();

        var twice =
                CallTransitions.next(
                        CallStage.ACCEPTED, CallEvent.SESSION_GONE, PLAIN.afterPossibleRun());
        assertThat(twice.to()).isEqualTo(CallStage.ENDED);
        var own = twice.answer();
        assertThat(own).isNotNull();
        assertThat(own.afterPossibleRun(ToolMethod.TOOLS_CALL).error().code())
                .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertThat(own.afterPossibleRun(ToolMethod.TOOLS_LIST).error().code())
                .isEqualTo(ErrorCode.WORKER_LOST);
    }

    @Test
    @DisplayName("keep a call whose question is open, and end one that may be at work on an answer")
    void asks() {
        for (var event : List.of(CallEvent.SESSION_GONE, CallEvent.LOST)) {
            var from = event == CallEvent.LOST ? CallStage.SENDING : CallStage.ACCEPTED;
            var asking = CallTransitions.next(from, event, with(Rounds.ASKING));
            assertThat(asking.to()).isEqualTo(CallStage.QUEUED);
            assertThat(asking.ran()).isFalse();
        }
        for (var from : List.of(CallStage.ACCEPTED, CallStage.UNSURE)) {
            var answered =
                    CallTransitions.next(from, CallEvent.SESSION_GONE, with(Rounds.ANSWERED));
            assertThat(answered.answer()).isEqualTo(OwnAnswer.OUTCOME_UNKNOWN);
        }
        var overtaken = // Question and response came before the acceptance.
                CallTransitions.next(CallStage.SENDING, CallEvent.LOST, with(Rounds.ANSWERED));
        assertThat(overtaken.answer()).isEqualTo(OwnAnswer.OUTCOME_UNKNOWN);
        var refused =
                CallTransitions.next(CallStage.SENDING, CallEvent.TURNED_DOWN, with(Rounds.ASKING));
        assertThat(refused.answer()).isEqualTo(OwnAnswer.REFUSED);
    }

    private static CallFacts with(Rounds rounds) {
        return new CallFacts(true, true, true, 0, false, true, false, rounds);
    }

    @Test
    @DisplayName("end whatever happens in whatever order, are sent at most twice, and answer once")
    void walks() {
        var random = new Random(20_261_126);
        int ends = 0;
        for (int walk = 0; walk < 20_000; walk++) {
            ends += walk(random) ? 1 : 0;
        }
        assertThat(ends).as("walks that came to an end").isGreaterThan(15_000);
    }

    /** Whether it came to its end. */
    private static boolean walk(Random random) {
        var stage = CallStage.ARRIVED;
        int runs = 0;
        boolean resolved = false;
        var path = new ArrayList<CallEvent>();
        for (int step = 0; step < 60 && stage != CallStage.ENDED; step++) {
            var from = stage;
            var events =
                    Arrays.stream(CallEvent.values())
                            .filter(e -> all().anyMatch(r -> r.from() == from && r.event() == e))
                            .toList();
            var event = events.get(random.nextInt(events.size()));
            resolved |= event == CallEvent.FOUND;
            var facts =
                    new CallFacts(
                            resolved,
                            random.nextInt(8) > 0,
                            random.nextBoolean(),
                            runs,
                            random.nextInt(8) == 0,
                            random.nextBoolean(),
                            random.nextBoolean(),
                            ROUNDS.get(random.nextInt(ROUNDS.size())));
            var row = CallTransitions.next(stage, event, facts);
            path.add(event);
            runs += row.ran() ? 1 : 0;
            stage = row.to();
            if (row.action() == CallAction.SEND) {
                assertThat(runs)
                        .as("possible runs before it is sent, after %s", path)
                        .isLessThan(2);
            }
        }
        return stage == CallStage.ENDED;
    }

    @Test
    @DisplayName("are what the documentation shows")
    void page() throws Exception {
        var made = CallTransitionsPage.text();
        if ("1".equals(System.getenv("PERIGEE_WRITE_PAGES"))) {
            Files.writeString(PAGE, made);
        }
        assertThat(Files.readString(PAGE))
                .as(
                        "stale: run this test with PERIGEE_WRITE_PAGES=1 in the environment, which"
                                + " writes the page")
                .isEqualTo(made);
    }

    private static Stream<CallFacts> facts() {
        return Arrays.stream(Rounds.values()).flatMap(CallTransitionsTest::facts);
    }

    private static Stream<CallFacts> facts(Rounds rounds) {
        return IntStream.range(0, 1 << 8)
                .mapToObj(
                        bits ->
                                new CallFacts(
                                        (bits & 1) == 0,
                                        (bits & 2) == 0,
                                        (bits & 4) == 0,
                                        bits >> 6,
                                        (bits & 8) == 0,
                                        (bits & 16) == 0,
                                        (bits & 32) == 0,
                                        rounds));
    }
}
