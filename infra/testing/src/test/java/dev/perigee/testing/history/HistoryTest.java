package dev.perigee.testing.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** That the checker finds what it is there to find. */
final class HistoryTest {
    private static final Request ONE = new Request("r-1", "p", "p#1", false, 100);
    private static final Request TWO = new Request("r-2", "p", "p#2", true, 200);

    private final List<Entry> entries = new ArrayList<>();

    private void event(String place, long seq) {
        entries.add(new Entry(place, "p/7/" + seq, "", "", 0, 0));
    }

    private void result(Request request, long seq, String ending) {
        entries.add(new Entry("tool-results-0", "p/7/" + seq, request.id(), ending, 0, 500 + seq));
    }

    private List<String> violations(String... effects) {
        return new History(List.of(ONE, TWO), entries, List.of(effects), List.of()).violations();
    }

    @Test
    void findsNothingWhereAllIsWell() {
        event("status-0", 1);
        result(ONE, 2, "success");
        result(TWO, 3, "failed outcome_unknown");
        result(ONE, 2, "success"); // A repeat.
        entries.add(new Entry("command-results-0", "commands-0@4/result", "", "", 0, 0));

        assertThat(violations("p#1")).isEmpty();
        assertThat(new History(List.of(ONE), entries, List.of(), List.of()).slowest())
                .isEqualTo(Duration.ofMillis(402));
        assertThat(violations("p#1", "p#2")).isEmpty();
        assertThat(new History(List.of(ONE, TWO), entries, List.of(), List.of()).counts())
                .isEqualTo(Map.of("success", 1L, "failed outcome_unknown", 1L));
    }

    @Test
    void findsALostAnswer() {
        result(ONE, 1, "success");
        assertThat(violations("p#1")).singleElement().asString().contains("no answer", "r-2");
    }

    @Test
    void findsTwoAnswers() {
        result(ONE, 1, "success");
        result(TWO, 2, "failed timeout");
        result(TWO, 3, "success");
        assertThat(violations("p#1", "p#2")).singleElement().asString().contains("two answers");
    }

    @Test
    void findsADoubleExecution() {
        result(ONE, 1, "success");
        result(TWO, 2, "failed timeout");
        assertThat(violations("p#1", "p#1", "p#2", "p#2"))
                .singleElement()
                .asString()
                .contains("ran 2 times", "r-1");
        assertThat(violations("p#1", "p#2", "p#2", "p#2"))
                .singleElement()
                .asString()
                .contains("ran 3 times", "r-2");
    }

    @Test
    void findsARunThatTheAnswerDenies() {
        result(ONE, 1, "failed unavailable");
        result(TWO, 2, "failed worker_lost");
        assertThat(violations("p#2")).isEmpty(); // It may be repeated: the code says no more.
        assertThat(violations("p#1"))
                .singleElement()
                .asString()
                .contains("answer says that it did not", "r-1");
    }

    @Test
    void findsARepeatThatDiffers() {
        result(ONE, 1, "success");
        result(TWO, 2, "failed timeout");
        result(TWO, 2, "success");
        entries.add(new Entry("logs-0", "p/7/3", "", "", 1, 0));
        entries.add(new Entry("logs-0", "p/7/3", "", "", 2, 0));
        assertThat(violations("p#1", "p#2"))
                .hasSize(2)
                .allSatisfy(violation -> assertThat(violation).contains("a repeat that differs"));
    }

    @Test
    void findsASuccessOfNothing() {
        result(ONE, 1, "success");
        result(TWO, 2, "success");
        assertThat(violations("p#1")).singleElement().asString().contains("without having run");
    }

    @Test
    void findsDisorder() {
        result(ONE, 2, "success");
        result(TWO, 1, "success");
        assertThat(violations("p#1", "p#2")).singleElement().asString().contains("out of order");
    }

    @Test
    void findsHoles() {
        event("status-0", 1);
        result(ONE, 2, "success");
        result(TWO, 5, "success");
        assertThat(violations("p#1", "p#2")).singleElement().asString().contains("lost: 2 events");
    }

    @Test
    void passesTwinsOn() {
        result(ONE, 1, "success");
        result(TWO, 2, "success");
        var history =
                new History(List.of(ONE, TWO), entries, List.of("p#1", "p#2"), List.of("twins"));
        assertThat(history.violations()).containsExactly("twins");
    }

    @Test
    void seesTwins() throws IOException {
        var builder = new ProcessBuilder("sleep", "60");
        builder.environment().put(LiveServers.VARIABLE, LiveServers.mark("twin"));
        var first = builder.start();
        try (var live = LiveServers.watching()) {
            builder.environment().put(LiveServers.VARIABLE, "another run's/twin");
            var other = builder.start();
            builder.environment().put(LiveServers.VARIABLE, LiveServers.mark("twin"));
            var second = builder.start();
            try {
                Awaitility.await().until(() -> !live.doubles().isEmpty());
                assertThat(live.doubles())
                        .singleElement()
                        .asString()
                        .contains("of twin", Long.toString(second.pid()));
            } finally {
                second.destroyForcibly();
                other.destroyForcibly();
            }
        } finally {
            first.destroyForcibly();
        }
    }
}
