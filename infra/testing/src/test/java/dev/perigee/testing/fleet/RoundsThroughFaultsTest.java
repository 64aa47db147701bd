package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A server of the official SDK of 2026-07-28 asks by its answers, and parts are lost meanwhile. */
@DisplayName("Calls in rounds, through topics and faults")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RoundsThroughFaultsTest {
    private static final long LONG = 300_000;

    private FleetUnderTest fleet;
    private Backend backend;
    private Asking asking;

    @BeforeAll
    void start() throws IOException {
        fleet = FleetUnderTest.named("rounds-through-faults").gateways(2).workers(2).start();
        backend = fleet.backend();
        asking = new Asking(fleet);
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    /** The arguments of node that start the fixture over pipes. */
    private static List<String> arguments() {
        return List.of(
                Fixtures.roundsScript().toString(), NpmServers.installed().modules().toString());
    }

    private Installation install() {
        return backend.install(Installation.of("rounds", Fixtures.NODE, arguments()));
    }

    private String respond(Installation by, Received question) {
        return asking.respond(
                by, question.key(), question.text("input_id"), "{\"room\":" + Asking.ROOM + "}");
    }

    private JsonNode assertBooked(String call) {
        var told = asking.told(call);
        assertThat(told.at("/answers/0/content/room").asString("")).isEqualTo("blue");
        asking.assertOneAnswer(call);
        assertThat(asking.count(call)).as("questions").isEqualTo(1);
        return told;
    }

    /** The number of the worker that an event is from. */
    private int worker(Received event) {
        return event.text("worker_id").equals(fleet.workerId(1)) ? 1 : 2;
    }

    @Test
    @DisplayName("CAL-05: a question arrives as the contract says, is answered, the call ends once")
    void asks() {
        var server = install();
        var call = asking.call(server, "{}", LONG);

        var question = asking.question(call);
        assertThat(PublishedContract.ofThisTree().violations(question)).isEmpty();
        assertThat(question.json().path("requests").propertyNames()).containsExactly("room");
        assertThat(question.text("requests/room/method")).isEqualTo("elicitation/create");
        assertThat(question.toString()).doesNotContain("v1.");
        asking.assertTaken(respond(server, question));

        assertThat(assertBooked(call).path("calls").asInt(0)).as("rounds").isEqualTo(2);
    }

    @Test
    @DisplayName("CAL-05: several rounds, over HTTP, and who accepts nothing is not asked")
    void overHttp() throws Exception {
        try (var elsewhere = AskingServer.started(arguments())) {
            var server =
                    backend.install(Installation.elsewhere("http", elsewhere.url().toString()));
            var call = asking.call(server, "{\"rounds\":3}", LONG);
            for (int round = 1; round <= 3; round++) {
                asking.assertTaken(respond(server, asking.questions(call, round).getLast()));
            }
            assertThat(asking.told(call).path("calls").asInt(0)).as("rounds").isEqualTo(4);

            var silent = backend.answer(backend.request(server, "ask", "{}"));
            assertThat(silent.text("error/code")).as("%s", silent).isEqualTo("server_error");
        }
    }

    @Test
    @DisplayName("CAL-05: a handler of the Java client answers, and perigee call --answer")
    void clients(@TempDir Path folder) throws Exception {
        var server = install();
        var request =
                ToolRequest.call(
                                "r-rounds",
                                server.teamId(),
                                server.userId(),
                                server.toolPath("ask"),
                                RawJson.of("{\"rounds\":2}"),
                                30_000L)
                        .acceptingInput(null);
        var kafka = new KafkaConnection(fleet.bootstrap(), fleet.names(), Map.of());
        try (var client = PerigeeClient.connectWithEvents(kafka)) {
            var answer =
                    client.call(
                            request,
                            Duration.ofSeconds(60),
                            _ -> {},
                            _ -> RawJson.of("{\"room\":" + Asking.ROOM + "}"));
            assertThat(answer.outcome()).as("%s", answer).isEqualTo(ToolOutcome.SUCCESS);
        }
        assertThat(asking.told("r-rounds").path("calls").asInt(0)).as("rounds").isEqualTo(3);

        var file = Files.writeString(folder.resolve("answer.json"), Asking.ROOM);
        var ran = InProcessRun.call(fleet, server, "ask", "--answer", file.toString());
        assertThat(ran.exitCode()).as("%s", ran).isZero();
        assertThat(ran.out()).contains("blue", "\"calls\":5");
    }

    @Test
    @DisplayName("CAL-06: of many responses one counts, and nobody else's")
    void countsOne() {
        var server = install();
        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);

        asking.assertRefused(respond(server.ofUser("somebody"), question), "No call of this user");
        var responses = IntStream.range(0, 20).mapToObj(_ -> respond(server, question)).toList();
        assertThat(backend.answers(responses))
                .filteredOn(answer -> answer.text("outcome").equals("success"))
                .hasSize(1);
        assertThat(assertBooked(call).path("calls").asInt(0)).as("rounds").isEqualTo(2);
    }

    @Test
    @DisplayName("CAL-05: its worker is killed: questions stay, a round is not repeated")
    void workerKilled() throws Exception {
        try (var elsewhere = AskingServer.started(arguments())) {
            var http = backend.install(Installation.elsewhere("http", elsewhere.url().toString()));
            var stdio = backend.install(ofUser(http));
            var inARound = asking.call(http, "{\"wait\":600000}", LONG);
            var answeredMeanwhile = asking.call(http, "{}", LONG);
            var answeredLater = asking.call(stdio, "{}", LONG);
            var expiring = asking.call(stdio, "{}", 10_000);
            asking.assertTaken(respond(http, asking.question(inARound)));
            var first = asking.question(answeredMeanwhile);
            var later = asking.question(answeredLater);
            asking.question(expiring);
            await().atMost(Records.PATIENCE).until(() -> rounds(http) == 3);
            var pid = backend.text(stdio, "pid", "{}");
            int worker = worker(later);
            var before = recoveries();

            fleet.part("worker-" + worker).kill();
            await().atMost(Records.PATIENCE).until(() -> isRecovering(http, before));
            var response = respond(http, first);
            fleet.startWorker(worker).awaitReady();

            asking.assertTaken(response);
            asking.assertOneAnswer(response);
            assertBooked(answeredMeanwhile);
            awaitAnother(stdio, pid);
            asking.assertTaken(respond(stdio, later));
            var pids = assertBooked(answeredLater).path("pids");
            assertThat(pids.path(0).asInt(0)).as("%s", pids).isNotEqualTo(pids.path(1).asInt(0));
            assertThat(backend.answer(inARound).text("error/code")).isEqualTo("outcome_unknown");
            asking.assertOneAnswer(inARound);
            assertThat(rounds(http)).as("rounds of two calls").isEqualTo(4);
            assertThat(backend.answer(expiring).text("error/code")).isEqualTo("input_timeout");
            asking.assertOneAnswer(expiring);
        }
    }

    /** The fixture over pipes for the user of another server, whom the same worker serves. */
    private static Installation ofUser(Installation other) {
        var its = Installation.of("rounds", Fixtures.NODE, arguments());
        return new Installation(
                its.serverSlug(),
                its.installationId(),
                other.teamId(),
                other.userId(),
                its.command(),
                its.args(),
                its.env(),
                its.more());
    }

    private int rounds(Installation server) {
        return Integer.parseInt(backend.text(server, "calls", "{}"));
    }

    private List<String> recoveries() {
        return IntStream.rangeClosed(1, 2)
                .mapToObj(gateway -> fleet.part("gateway-" + gateway).output())
                .flatMap(String::lines)
                .filter(line -> line.contains("The link is recovering"))
                .toList();
    }

    /** Whether the owner of a user's partition has noticed since that its link was lost. */
    private boolean isRecovering(Installation of, List<String> before) {
        var partition = "\"partition\":%d,".formatted(fleet.placing().partitionOf(of));
        return recoveries().stream().filter(line -> line.contains(partition)).count()
                > before.stream().filter(line -> line.contains(partition)).count();
    }

    /** Waits until another process serves, so that the owner has another session. */
    private void awaitAnother(Installation server, String pid) {
        await().atMost(Records.PATIENCE)
                .until(
                        () -> {
                            var answer = backend.call(server, "pid", "{}");
                            return answer.text("outcome").equals("success")
                                    && !answer.text("result/content/0/text").equals(pid);
                        });
    }

    @Test
    @DisplayName("CAL-05: both gateways are killed, then its worker")
    void gatewaysThenWorkerKilled() {
        var server = install();
        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);
        int worker = worker(question);

        for (int gateway = 1; gateway <= 2; gateway++) {
            fleet.part("gateway-" + gateway).kill();
        }
        for (int gateway = 1; gateway <= 2; gateway++) {
            fleet.startGateway(gateway);
        }
        for (int gateway = 1; gateway <= 2; gateway++) {
            fleet.part("gateway-" + gateway).awaitReady();
        }
        var pid = backend.text(server, "pid", "{}"); // The next owner has its session.
        fleet.part("worker-" + worker).kill();
        fleet.startWorker(worker).awaitReady();
        awaitAnother(server, pid);

        asking.assertTaken(respond(server, question));
        assertBooked(call);
    }

    @Test
    @DisplayName("CAL-05: its worker leaves: the question goes along")
    void workerLeaves() {
        var server = install();
        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);
        int worker = worker(question);

        var pid = backend.text(server, "pid", "{}");

        assertThat(fleet.part("worker-" + worker).terminate()).isIn(0, 143);
        var next = fleet.startWorker(worker);
        awaitAnother(server, pid);

        asking.assertTaken(respond(server, question));
        assertBooked(call);
        next.awaitReady();
    }
}
