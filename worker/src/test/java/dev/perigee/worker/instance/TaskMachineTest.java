package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.instance.TaskMachine.State;
import dev.perigee.worker.tool.TaskReport;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("CAL-08: the states of a task")
final class TaskMachineTest {
    private static TaskReport report(String status, String members) {
        return TaskReport.read(
                RawJson.of("{\"taskId\":\"t1\",\"status\":\"" + status + "\"" + members + "}"));
    }

    private static TaskMachine created(String members) {
        return new TaskMachine(report("working", members));
    }

    private static TaskMachine in(State state) {
        var machine = created("");
        switch (state) {
            case WORKING -> {}
            case ASKING -> machine.reported(report("input_required", ""));
            case COMPLETED, FAILED, CANCELLED ->
                    machine.reported(report(state.name().toLowerCase(Locale.ROOT), ""));
            case GIVEN_UP -> machine.giveUp();
        }
        return machine;
    }

    private static Stream<State> over() {
        return Arrays.stream(State.values()).filter(State::isOver);
    }

    private static Stream<State> underWay() {
        return Arrays.stream(State.values()).filter(state -> !state.isOver());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("underWay")
    @DisplayName("under way, each report leads where it says, and giving up ends it")
    void leads(State from) {
        assertThat(in(from).state()).isEqualTo(from);
        for (var to : List.of("working", "input_required", "completed", "failed", "cancelled")) {
            var machine = in(from);
            machine.reported(report(to, ""));
            var expected = to.equals("input_required") ? "ASKING" : to.toUpperCase(Locale.ROOT);
            assertThat(machine.state()).isEqualTo(State.valueOf(expected));
        }
        var machine = in(from);
        machine.giveUp();
        assertThat(machine.state()).isEqualTo(State.GIVEN_UP);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("over")
    @DisplayName("over, nothing is legal any more")
    void nothingAfterTheEnd(State end) {
        var machine = in(end);
        for (ThrowingCallable illegal :
                List.<ThrowingCallable>of(
                        () -> machine.reported(report("working", "")),
                        () -> machine.reported(report("completed", "")),
                        machine::giveUp,
                        machine::missed,
                        machine::pause)) {
            assertThatThrownBy(illegal).isInstanceOf(IllegalStateException.class);
        }
        assertThat(machine.state()).isEqualTo(end);
    }

    @Test
    @DisplayName("a report of another task changes nothing")
    void anotherTask() {
        var machine = created("");
        var other = RawJson.of("{\"taskId\":\"t2\",\"status\":\"completed\"}");

        assertThatThrownBy(() -> machine.reported(TaskReport.read(other)))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageContaining("another task");

        assertThat(machine.state()).isEqualTo(State.WORKING);
    }

    @Test
    @DisplayName("a task that is said to be over when it is created is asked for nevertheless")
    void overAtOnce() {
        var machine = new TaskMachine(report("completed", ",\"pollInterval\":60000"));

        assertThat(machine.state()).isEqualTo(State.WORKING);
        assertThat(machine.pause()).isEqualTo(TaskMachine.LEAST_POLL);
    }

    @Test
    @DisplayName("only another state or message is told")
    void tells() {
        var machine = created(",\"statusMessage\":\"a\"");

        assertThat(machine.reported(report("working", ",\"statusMessage\":\"a\""))).isFalse();
        assertThat(machine.reported(report("working", ",\"statusMessage\":\"b\""))).isTrue();
        assertThat(machine.reported(report("input_required", ",\"statusMessage\":\"b\""))).isTrue();
        assertThat(machine.reported(report("input_required", ""))).isTrue();
        assertThat(machine.reported(report("input_required", ""))).isFalse();
    }

    @ParameterizedTest(name = "{0}: {1} ms")
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 1000",
                "'\"pollInterval\":0' | 500",
                "'\"pollInterval\":-1' | 500",
                "'\"pollInterval\":2000' | 2000",
                "'\"pollIntervalMs\":2000' | 2000",
                "'\"pollInterval\":31536000000' | 60000",
                "'\"pollInterval\":1e300' | 60000",
                "'\"pollInterval\":1e999' | 60000",
                "'\"pollInterval\":\"0\"' | 1000",
                "'\"pollInterval\":null' | 1000",
                "'\"pollInterval\":[1]' | 1000"
            })
    @DisplayName("the server is asked as often as it wants, within bounds")
    void polls(String member, long millis) {
        var machine = created(member.isEmpty() ? "" : "," + member);
        assertThat(machine.pause()).isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    @DisplayName("a server that cannot be asked is asked ever less often, and given up at last")
    void misses() {
        var machine = created("");
        for (int failure = 1; failure <= TaskMachine.MOST_FAILURES; failure++) {
            assertThat(machine.missed()).isTrue();
            assertThat(machine.pause()).isEqualTo(Duration.ofSeconds(Math.min(60, 1L << failure)));
        }
        assertThat(machine.missed()).isFalse();

        var other = in(State.WORKING);
        assertThat(other.missed()).isTrue();
        other.reported(report("working", ""));
        assertThat(other.pause()).isEqualTo(TaskMachine.USUAL_POLL);
    }
}
