package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.node.ObjectNode;

/** Questions that are open while something fails: two gateways, two workers. */
@DisplayName("While a question is open")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AskingThroughFaultsTest {
    private static final long LONG = 300_000;

    /** Over before the gateways are back; it stands still while the question is open. */
    private static ObjectNode brief(ObjectNode request) {
        return request.put("timeout_ms", 5_000);
    }

    private FleetUnderTest fleet;
    private Backend backend;
    private Asking asking;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("asking-through-faults")
                        .gateways(2)
                        .workers(2)
                        .gateway("group.session-timeout", "4s")
                        .gateway("link.refused-for", "2s")
                        .worker("mcp.announce-input", "true")
                        .faultyLinks()
                        .start();
        backend = fleet.backend();
        asking = new Asking(fleet);
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName("CAL-04: the link is cut: asked before, answered meanwhile")
    void answeredDuringCut() throws Exception {
        var server = asking.install();
        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);
        var link = fleet.link(worker(question));

        link.partition();
        var response = asking.respond(server, question, Asking.ROOM);
        link.partitionFor(Duration.ofSeconds(3));

        asking.assertTaken(response);
        asking.assertBooked(call, 1);
        assertThat(asking.count(call)).isEqualTo(1);
        asking.assertOneAnswer(response);
    }

    @Test
    @DisplayName("CAL-04: the link is cut: asked meanwhile, answered after")
    void askedDuringCut() throws Exception {
        var server = asking.install();
        var call =
                asking.call(
                        server,
                        "{\"wait\":1000}",
                        LONG,
                        request -> {
                            request.withArrayProperty("accepts").add("progress");
                            return request;
                        });
        var begun =
                fleet.records()
                        .await(
                                Topic.CALL_EVENTS,
                                "progress of " + call,
                                event ->
                                        event.key().equals(call)
                                                && event.text("event")
                                                        .equals("perigee.call.progress"));

        fleet.link(worker(begun)).partitionFor(Duration.ofSeconds(3));

        var question = asking.question(call);
        asking.assertTaken(asking.respond(server, question, Asking.ROOM));
        asking.assertBooked(call, 1);
        assertThat(asking.count(call)).isEqualTo(1);
    }

    @Test
    @DisplayName("CAL-04: both gateways are killed, and it is answered while there is none")
    void gatewaysKilled() {
        var server = asking.install();
        var call = asking.call(server, "{}", LONG, AskingThroughFaultsTest::brief);
        var question = asking.question(call);

        fleet.part("gateway-1").kill();
        fleet.part("gateway-2").kill();
        var response = asking.respond(server, question, Asking.ROOM);
        startGateways();

        asking.assertTaken(response);
        asking.assertBooked(call, 1);
        assertThat(asking.count(call)).isEqualTo(1);
        asking.assertOneAnswer(response);
    }

    @Test
    @DisplayName("CAL-04: one gateway after the other is replaced, as by an upgrade")
    void gatewaysReplaced() {
        var server = asking.install();
        var call = asking.call(server, "{}", LONG, AskingThroughFaultsTest::brief);
        var question = asking.question(call);

        for (int gateway = 1; gateway <= 2; gateway++) {
            assertThat(fleet.part("gateway-" + gateway).terminate()).isIn(0, 143);
            fleet.startGateway(gateway).awaitReady();
        }

        asking.assertTaken(asking.respond(server, question, Asking.ROOM));
        asking.assertBooked(call, 1);
    }

    @Test
    @DisplayName("CAL-04: it is answered, and the gateways are killed at that moment")
    void gatewaysKilledBehindTheAnswer() {
        var server = asking.install();
        for (int round = 1; round <= 3; round++) {
            // Not a brief one: the group may still wait for the members of the round before.
            var call = asking.call(server, "{}", LONG);
            var question = asking.question(call);

            var response = asking.respond(server, question, Asking.ROOM);
            fleet.part("gateway-1").kill();
            fleet.part("gateway-2").kill();
            startGateways();

            asking.assertTaken(response);
            asking.assertBooked(call, round);
            asking.assertOneAnswer(response);
        }
    }

    private void startGateways() {
        fleet.startGateway(1);
        fleet.startGateway(2);
        fleet.part("gateway-1").awaitReady();
        fleet.part("gateway-2").awaitReady();
    }

    @Test
    @DisplayName("CAL-04: its worker is killed: the call's outcome is unknown, and so it says")
    void workerKilled() {
        var server = asking.install();
        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);
        int worker = worker(question);

        fleet.part("worker-" + worker).kill();
        fleet.startWorker(worker).awaitReady();

        assertThat(backend.answer(call).text("error/code")).isEqualTo("outcome_unknown");
        asking.assertRefused(asking.respond(server, question, Asking.ROOM), "No call of this user");
        asking.assertOneAnswer(call);
    }

    /** The number of the worker that an event is from. */
    private int worker(Received event) {
        return event.text("worker_id").equals(fleet.workerId(1)) ? 1 : 2;
    }
}
