package dev.perigee.testing.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** That the checker finds what it is there to find. */
final class HistoryTest {
    private static final Request ONE = new Request("r-1", "p", "p#1", false, 100);
    private static final Request TWO = new Request("r-2", "p", "p#2", true, 200);

    private final List<HistoryRecord> entries = new ArrayList<>();

    private void event(String place, long seq) {
        entries.add(new HistoryRecord(place, "p/7/" + seq, "", "", 0, 0));
    }

    private void result(Request request, long seq, String ending) {
        entries.add(
                new HistoryRecord(
                        "tool-results-0", "p/7/" + seq, request.id(), ending, 0, 500 + seq));
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
        entries.add(new HistoryRecord("command-results-0", "commands-0@4/result", "", "", 0, 0));

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
        entries.add(new HistoryRecord("logs-0", "p/7/3", "", "", 1, 0));
        entries.add(new HistoryRecord("logs-0", "p/7/3", "", "", 2, 0));
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

    private static final Request CHECK = Request.command("c-1", "p", 300);
    private static final Request CHECK_AGAIN = Request.command("c-2", "p", 400);

    private void own(Request request, String id, String ending, long atMs) {
        entries.add(new HistoryRecord("tool-results-0", id, request.id(), ending, 0, atMs));
    }

    private void worker(Request request, String id, String ending, long atMs) {
        own(request, "p/" + id, ending, atMs);
    }

    private Judgement judge(String effect, Outage... outages) {
        return new History(List.of(ONE), entries, List.of(effect), List.of())
                .judge(List.of(outages));
    }

    private static void admits(Judgement judgement, Admission admission) {
        assertThat(judgement.violations()).isEmpty();
        assertThat(judgement.admitted()).containsOnlyKeys(admission);
        assertThat(judgement.admitted().get(admission)).hasSize(1);
    }

    @Test
    void admitsHolesForResultsOfRequestsThatAGatewayAnswered() {
        var asked = List.of(ONE, TWO);
        entries.add(new HistoryRecord("status-0", "p/7/1", "", "", 0, 10_000));
        own(ONE, "tool-requests-0@1/result", "failed outcome_unknown", 11_000);
        worker(TWO, "7/3", "success", 12_000);
        admits(
                new History(asked, entries, List.of("p#1", "p#2"), List.of()).judge(List.of()),
                Admission.RESULT_DROPPED);

        worker(TWO, "7/5", "success", 13_000); // Another one is missing, and nothing explains it.
        assertThat(violations("p#1", "p#2")).anyMatch(each -> each.contains("lost: 2 events"));
    }

    @Test
    void admitsNoHoleForWhatAGatewayAnsweredAtAnotherTimeOrKnewNotToHaveRun() {
        entries.add(new HistoryRecord("status-0", "p/7/1", "", "", 0, 100_000));
        own(ONE, "tool-requests-0@1/result", "failed outcome_unknown", 20_000);
        worker(TWO, "7/3", "success", 120_000);
        assertThat(violations("p#1", "p#2")).singleElement().asString().contains("lost: 1 events");

        entries.removeIf(entry -> entry.requestId().equals(ONE.id()));
        own(ONE, "tool-requests-0@1/result", "failed unavailable", 110_000);
        assertThat(violations("p#2")).singleElement().asString().contains("lost: 1 events");
    }

    @Test
    void admitsASecondAnswerAroundTheLossOfAGatewayOnly() {
        worker(ONE, "7/1", "success", 9_500);
        own(ONE, "tool-requests-0@1/result", "failed outcome_unknown", 70_000);

        admits(judge("p#1", new Outage("gateway-1", 10_000, 20_000)), Admission.HANDED_OVER);
        admits(judge("p#1", new Outage("broker-1", 5_000, 9_000)), Admission.HANDED_OVER);
        assertThat(judge("p#1", new Outage("gateway-1", 30_000, 40_000)).violations()).hasSize(1);
        assertThat(judge("p#1", new Outage("gateway-1", 1_000, 7_500)).violations()).hasSize(1);
        assertThat(judge("p#1", new Outage("worker-1", 9_000, 80_000)).violations()).hasSize(1);
    }

    @Test
    void admitsAnUnknownOutcomeWhereAWorkerIsLostWithAGateway() {
        worker(ONE, "7/1", "success", 9_500);
        worker(ONE, "9/1", "failed outcome_unknown", 70_000);
        var gateway = new Outage("gateway-1", 10_000, 20_000);
        var worker = new Outage("worker-2", 9_000, 80_000);

        admits(judge("p#1", gateway, worker), Admission.LOST_TOGETHER);
    }

    @Test
    void admitsNoSecondAnswerOfAWorker() {
        worker(ONE, "7/1", "success", 9_500);
        worker(ONE, "9/1", "failed server_crashed", 70_000);
        var gateway = new Outage("gateway-1", 10_000, 20_000);
        var worker = new Outage("worker-2", 9_000, 80_000);

        assertThat(judge("p#1", gateway, worker).violations()).hasSize(1);
    }

    @Test
    void admitsAnotherAnswerOfAGatewayUnderTheSameId() {
        own(ONE, "tool-requests-0@1/result", "failed expired", 9_500);
        own(ONE, "tool-requests-0@1/result", "failed unavailable", 12_000);

        admits(judge("p", new Outage("gateway-1", 10_000, 10_000)), Admission.NOT_COMMITTED);
        assertThat(judge("p", new Outage("gateway-1", 12_000, 12_000)).violations()).hasSize(1);
    }

    @Test
    void admitsLostEventsWhereAWorkerIsLostWithAGateway() {
        worker(ONE, "7/1", "success", 9_000);
        entries.add(new HistoryRecord("logs-0", "p/7/3", "", "", 0, 9_500));
        var gateway = new Outage("gateway-1", 10_000, 10_000);
        var worker = new Outage("worker-2", 9_000, 80_000);

        admits(judge("p#1", gateway, worker), Admission.JOURNAL_LOST);
        assertThat(judge("p#1", worker).violations()).hasSize(1);
        assertThat(judge("p#1", gateway).violations()).hasSize(1);
    }

    @Test
    void neverAdmitsASecondRun() {
        worker(ONE, "7/1", "success", 9_500);
        var all =
                new History(List.of(ONE), entries, List.of("p#1", "p#1"), List.of("twins"))
                        .judge(
                                List.of(
                                        new Outage("gateway-1", 0, 99_000),
                                        new Outage("worker-1", 0, 99_000)));
        assertThat(all.violations()).hasSize(2);
    }

    @Test
    void findsACommandWithoutAnEndAndCommandsOutOfOrder() {
        entries.add(new HistoryRecord("command-results-0", "a/result", "c-1", "completed", 0, 900));
        var one = new History(List.of(CHECK, CHECK_AGAIN), entries, List.of(), List.of());
        assertThat(one.violations()).singleElement().asString().contains("no answer", "c-2");

        entries.add(new HistoryRecord("command-results-1", "b/result", "c-2", "completed", 0, 800));
        var both = new History(List.of(CHECK, CHECK_AGAIN), entries, List.of(), List.of());
        assertThat(both.violations()).singleElement().asString().contains("out of order", "c-2");
    }

    @Test
    void measuresForHowLongAServerDidNotAnswer() {
        worker(ONE, "7/1", "failed unavailable", 500);
        worker(TWO, "7/2", "success", 2_200);
        var history = new History(List.of(ONE, TWO), entries, List.of(), List.of());
        assertThat(history.longestUnavailability()).isEqualTo(Duration.ofMillis(2_100));
    }

    @Test
    void admissionsAreWhatThePageSays() throws IOException {
        var page = Files.readString(Checkout.root().resolve("docs/guarantees.md"));
        var admitted = page.substring(page.indexOf("## What is not promised"));
        for (var admission : Admission.values()) {
            assertThat(admitted).contains("* **" + admission.words());
        }
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
                assertThat(live.now())
                        .containsOnly(Map.entry("twin", Set.of(first.pid(), second.pid())));
                assertThat(live.looks()).isPositive();
            } finally {
                second.destroyForcibly();
                other.destroyForcibly();
            }
        } finally {
            first.destroyForcibly();
        }
    }
}
