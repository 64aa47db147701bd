package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two calls of a user at once, three of a team, twenty a second of a user after a burst of ten. */
final class CallLimitsTest {
    private static final String BEGUN = "begun";
    private static final String GO = "go";

    private static FleetUnderTest fleet;

    @BeforeAll
    static void start() throws IOException {
        fleet =
                FleetUnderTest.named("limits")
                        .partitions(1)
                        .gateway("limits.user.concurrency", "2")
                        .gateway("limits.user.rate", "20")
                        .gateway("limits.user.burst", "10")
                        .worker("limits.team.concurrency", "3")
                        .start();
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    @Test
    @DisplayName("a user's calls run a few at a time, all of them")
    void userConcurrency() {
        var server = install(Installation.fixture());
        var answers = fleet.backend().answers(requests(server, "{\"ms\":200}", 8));

        assertThat(answers).allMatch(answer -> answer.text("outcome").equals("success"));
        assertThat(mostAtOnce(answers)).isEqualTo(2);
    }

    @Test
    @DisplayName("the calls of a team's users run a few at a time, all of them")
    void teamConcurrency() {
        var first = Installation.fixture();
        var servers =
                Stream.of(first, first.ofUser("second"), first.ofUser("third"))
                        .map(CallLimitsTest::install)
                        .toList();
        var ids = new ArrayList<String>();
        servers.forEach(server -> ids.addAll(requests(server, "{\"ms\":200}", 4)));
        var answers = fleet.backend().answers(ids);

        assertThat(answers).allMatch(answer -> answer.text("outcome").equals("success"));
        assertThat(mostAtOnce(answers)).isLessThanOrEqualTo(3);
    }

    @Test
    @DisplayName(
            "a call that a team's limit holds back until its deadline is overloaded, and may be"
                    + " sent again under its id")
    void teamOverloaded(@TempDir Path folder) throws IOException {
        var first = install(Installation.fixture());
        var second = install(first.ofUser("second"));
        hold(folder, first, 2);
        hold(folder, second, 1);
        awaitHeld(folder, 3);

        var id = request(second, "{\"ms\":1}", 4_000);
        var answer = fleet.backend().answer(id);
        assertOverloaded(answer, "limits.team.concurrency");

        Files.createFile(folder.resolve(GO));
        fleet.backend()
                .request(second, "sleep", "{\"ms\":1}", again -> again.put("request_id", id));
        fleet.records()
                .await(
                        Topic.TOOL_RESULTS,
                        "success of " + id,
                        one ->
                                one.text("request_id").equals(id)
                                        && one.text("outcome").equals("success"));
    }

    @Test
    @DisplayName(
            "calls come at the user's rate, and those that would be late are overloaded at once")
    void rate() {
        var server = install(Installation.fixture());
        long began = System.currentTimeMillis();
        var ids =
                fleet.backend()
                        .flood(
                                server,
                                "sleep",
                                "{\"ms\":1}",
                                200, // Too many of half of them, too, where the rest is late.
                                request -> request.put("timeout_ms", 1500));
        var answers = fleet.backend().answers(ids);
        var ran = answers.stream().filter(one -> one.text("outcome").equals("success")).toList();
        // On a slow machine some have their turn too late for an answer in time: expired, timeout.
        var refused =
                answers.stream()
                        .filter(one -> one.text("error/code").equals("overloaded"))
                        .toList();

        assertThat(ran).isNotEmpty();
        assertThat(refused)
                .isNotEmpty()
                .allSatisfy(one -> assertOverloaded(one, "limits.user.rate"));
        long took = ran.stream().mapToLong(CallLimitsTest::start).max().orElseThrow() - began;
        assertThat(took)
                .as("milliseconds to the last of %d starts", ran.size())
                .isGreaterThanOrEqualTo((ran.size() - 10) * 1000L / 20 - 5); // They are rounded.
    }

    @Test
    @DisplayName(
            "a call that waits for its turn can be cancelled, and ends overloaded at its deadline")
    void waiting(@TempDir Path folder) throws IOException {
        var server = install(Installation.fixture());
        var running = hold(folder, server, 2);
        awaitHeld(folder, 2);
        var waiting = request(server, "{\"ms\":1}", 30_000);
        var late = request(server, "{\"ms\":1}", 4_000);
        fleet.backend()
                .request(
                        server,
                        "",
                        "{}",
                        cancel -> cancel.put("method", "cancel").put("request_id", waiting));

        assertThat(fleet.backend().answer(waiting).text("error/code")).isEqualTo("cancelled");
        assertOverloaded(fleet.backend().answer(late), "limits.user.concurrency");
        Files.createFile(folder.resolve(GO));
        assertThat(fleet.backend().answers(running))
                .allMatch(answer -> answer.text("outcome").equals("success"));
    }

    @Test
    @DisplayName("calls that wait for their turn are sent to the next worker when theirs is lost")
    void lostWorker(@TempDir Path folder) {
        var server = install(Installation.fixture());
        hold(folder, server, 2);
        awaitHeld(folder, 2);
        var waiting = requests(server, "{\"ms\":1}", 4);
        fleet.part("worker-1").kill();
        fleet.startWorker(1).awaitReady();

        assertThat(fleet.backend().answers(waiting))
                .allMatch(answer -> answer.text("outcome").equals("success"));
    }

    private static Installation install(Installation installation) {
        return fleet.backend().install(installation);
    }

    /** Calls that run until there is the file {@link #GO}. */
    private static List<String> hold(Path folder, Installation server, int count) {
        var arguments =
                "{\"file\":\"%s\",\"until\":\"%s\"}"
                        .formatted(folder.resolve(BEGUN), folder.resolve(GO));
        return fleet.backend().flood(server, "counter", arguments, count);
    }

    private static void awaitHeld(Path folder, int count) {
        var begun = folder.resolve(BEGUN);
        await().until(() -> Files.exists(begun) && Files.readAllLines(begun).size() == count);
    }

    private static List<String> requests(Installation server, String arguments, int count) {
        return fleet.backend().flood(server, "sleep", arguments, count);
    }

    private static String request(Installation server, String arguments, int timeoutMs) {
        return fleet.backend()
                .request(
                        server,
                        "sleep",
                        arguments,
                        request -> request.put("timeout_ms", timeoutMs));
    }

    private static void assertOverloaded(Received answer, String key) {
        assertThat(answer.text("error/code")).isEqualTo("overloaded");
        assertThat(answer.text("error/retryable")).isEqualTo("true");
        assertThat(answer.text("error/message")).contains(key);
    }

    private static long start(Received answer) {
        return end(answer) - answer.json().get("duration_ms").asLong();
    }

    private static long end(Received answer) {
        return Instant.parse(answer.text("timestamp")).toEpochMilli();
    }

    /** How many calls the worker had at the moment when it had most. */
    private static int mostAtOnce(List<Received> answers) {
        int most = 0;
        for (var answer : answers) {
            long moment = start(answer) + 1;
            most =
                    Math.max(
                            most,
                            (int)
                                    answers.stream()
                                            .filter(one -> start(one) <= moment)
                                            .filter(one -> end(one) > moment)
                                            .count());
        }
        return most;
    }
}
