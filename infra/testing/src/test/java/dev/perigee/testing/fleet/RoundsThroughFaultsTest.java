package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
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
    @DisplayName("CAL-05: its worker is killed: the question stays, and is answered at the next")
    void workerKilled() {
        var server = install();
        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);
        int worker = worker(question);

        fleet.part("worker-" + worker).kill();
        fleet.startWorker(worker).awaitReady();

        asking.assertTaken(respond(server, question));
        var pids = assertBooked(call).path("pids");
        assertThat(pids.path(0).asInt(0)).as("%s", pids).isNotEqualTo(pids.path(1).asInt(0));
    }

    @Test
    @DisplayName("CAL-05: its worker is killed, and it is answered while there is none")
    void answeredMeanwhile() throws Exception {
        try (var elsewhere = AskingServer.started(arguments())) {
            var server =
                    backend.install(Installation.elsewhere("http", elsewhere.url().toString()));
            var call = asking.call(server, "{}", LONG);
            var question = asking.question(call);
            int worker = worker(question);

            fleet.part("worker-" + worker).kill();
            var response = respond(server, question);
            fleet.startWorker(worker).awaitReady();

            asking.assertTaken(response);
            asking.assertOneAnswer(response);
            assertThat(assertBooked(call).path("calls").asInt(0)).as("rounds").isEqualTo(2);
        }
    }

    @Test
    @DisplayName("CAL-05: its worker is killed in a round: that is not repeated")
    void killedInARound() throws Exception {
        try (var elsewhere = AskingServer.started(arguments())) {
            var server =
                    backend.install(Installation.elsewhere("http", elsewhere.url().toString()));
            var call = asking.call(server, "{\"wait\":600000}", LONG);
            var question = asking.question(call);
            int worker = worker(question);
            asking.assertTaken(respond(server, question));

            fleet.part("worker-" + worker).kill();
            fleet.startWorker(worker).awaitReady();

            assertThat(backend.answer(call).text("error/code")).isEqualTo("outcome_unknown");
            asking.assertOneAnswer(call);
            var next = asking.call(server, "{}", LONG);
            asking.assertTaken(respond(server, asking.question(next)));
            assertThat(asking.told(next).path("calls").asInt(0))
                    .as("rounds, of which the one under way may not have reached the server")
                    .isBetween(3, 4);
        }
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
        backend.text(server, "pid", "{}"); // The next owner has its session.
        fleet.part("worker-" + worker).kill();
        fleet.startWorker(worker).awaitReady();

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

        assertThat(fleet.part("worker-" + worker).terminate()).isIn(0, 143);
        fleet.startWorker(worker).awaitReady();

        asking.assertTaken(respond(server, question));
        assertBooked(call);
    }

    @Test
    @DisplayName("CAL-07: nobody answers after its worker is killed: it ends as any such question")
    void expires() {
        var server = install();
        var call = asking.call(server, "{}", 20_000);
        int worker = worker(asking.question(call));

        fleet.part("worker-" + worker).kill();
        fleet.startWorker(worker).awaitReady();

        assertThat(backend.answer(call).text("error/code")).isEqualTo("input_timeout");
        asking.assertOneAnswer(call);
    }
}
