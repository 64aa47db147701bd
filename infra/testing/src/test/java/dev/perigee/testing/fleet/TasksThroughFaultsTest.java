package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.local.cli.Perigee;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Tasks of the reference server (2025-11-25) and of the official SDK of 2026-07-28. */
@DisplayName("CAL-08: tasks, through topics and faults")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TasksThroughFaultsTest {
    private static final String RESEARCH = "simulate-research-query";
    private static final String NEVER = "{\"polls\":1000000}";

    private FleetUnderTest fleet;
    private Backend backend;
    private Asking asking;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("tasks-through-faults")
                        .gateways(2)
                        .workers(1)
                        .worker("link.retention", "3m")
                        .start();
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
                Fixtures.tasksScript().toString(), NpmServers.installed().modules().toString());
    }

    private String begin(Installation server, String tool, String arguments) {
        return begin(server, tool, arguments, UnaryOperator.identity());
    }

    private String begin(
            Installation server, String tool, String arguments, UnaryOperator<ObjectNode> change) {
        return backend.request(
                server,
                tool,
                arguments,
                request -> {
                    request.putArray("accepts").add("task");
                    return change.apply(request.put("timeout_ms", 600_000));
                });
    }

    private Received state(String call, String status) {
        return fleet.records()
                .await(
                        Topic.CALL_EVENTS,
                        status + " of " + call,
                        event ->
                                event.key().equals(call)
                                        && event.text("event").equals("perigee.call.task")
                                        && event.text("status").equals(status));
    }

    private void cancel(Installation server, String call) {
        backend.request(
                server, "work", "{}", it -> it.put("method", "cancel").put("request_id", call));
    }

    private static JsonNode json(Received answer) {
        assertThat(answer.text("outcome")).as("%s", answer).isEqualTo("success");
        return Json.tree(answer.text("result/content/0/text").getBytes(StandardCharsets.UTF_8));
    }

    private void killGateways() {
        for (int gateway = 1; gateway <= 2; gateway++) {
            fleet.part("gateway-" + gateway).kill();
        }
        for (int gateway = 1; gateway <= 2; gateway++) {
            fleet.startGateway(gateway);
        }
        for (int gateway = 1; gateway <= 2; gateway++) {
            fleet.part("gateway-" + gateway).awaitReady();
        }
    }

    @Test
    @DisplayName("both gateways are killed: each task ends in one answer, or is cancelled")
    void gatewaysKilled() throws Exception {
        try (var elsewhere = AskingServer.started(arguments())) {
            var legacy = backend.install(Installation.npm("everything"));
            var stdio = backend.install(Installation.of("tasks", Fixtures.NODE, arguments()));
            var http = backend.install(Installation.elsewhere("http", elsewhere.url().toString()));
            var research = begin(legacy, RESEARCH, "{\"topic\":\"owls\"}");
            var endless = begin(stdio, "work", NEVER);
            var asks =
                    begin(
                            http,
                            "work",
                            "{\"ask\":true}",
                            request -> {
                                request.withArrayProperty("accepts").add("input");
                                return request.put("input_timeout_ms", 300_000);
                            });
            var first = state(research, "working");
            assertThat(PublishedContract.ofThisTree().violations(first)).isEmpty();
            assertThat(first.header("ce_type")).isEqualTo("perigee.call.task");
            state(endless, "working");
            var question = asking.question(asks);

            killGateways();

            assertThat(backend.answer(research).text("result/content/0/text")).contains("owls");
            state(research, "completed");
            cancel(stdio, endless);
            assertThat(backend.answer(endless).text("error/code")).isEqualTo("cancelled");
            await().atMost(Records.PATIENCE)
                    .until(() -> backend.text(stdio, "cancelled", "{}").equals("1"));
            asking.assertTaken(
                    asking.respond(
                            http,
                            asks,
                            question.text("input_id"),
                            "{\"room\":" + Asking.ROOM + "}"));
            var told = json(backend.answer(asks));
            assertThat(told.at("/answer/content/room").asString("")).isEqualTo("blue");
            assertThat(told.path("calls").asInt(0)).isEqualTo(1);
            for (var call : List.of(research, endless, asks)) {
                asking.assertOneAnswer(call);
            }
        }
    }

    @Test
    @DisplayName("perigee call shows its states, and who accepts none has the answer")
    void clients() {
        var server = backend.install(Installation.of("tasks", Fixtures.NODE, arguments()));
        var out = new StringWriter();
        var err = new StringWriter();
        int code =
                Perigee.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
                        .execute(
                                "call",
                                "--bootstrap",
                                fleet.bootstrap(),
                                "--team",
                                server.teamId(),
                                "--user",
                                server.userId(),
                                "--task",
                                server.toolPath("work"),
                                "{\"polls\":12}");
        assertThat(code).as("%s", err).isZero();
        assertThat(out.toString()).contains("\"calls\":1");
        assertThat(err.toString()).contains("task working");
        assertThat(json(backend.call(server, "work", "{}")).path("calls").asInt(0)).isEqualTo(2);
    }
}
