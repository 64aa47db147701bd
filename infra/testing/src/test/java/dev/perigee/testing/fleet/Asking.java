package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A backend that answers what fixture A asks. Safe for use by any thread. */
final class Asking {
    /** Response to the fixture's form. */
    static final String ROOM = "{\"action\":\"accept\",\"content\":{\"room\":\"blue\"}}";

    /** Longer than gateways are away. */
    private static final long RESPONSE_MS = 120_000;

    private final FleetUnderTest fleet;
    private final Backend backend;

    Asking(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    /** The arguments of node that start the fixture over pipes. */
    static List<String> arguments() {
        return List.of(
                Fixtures.askingScript().toString(), NpmServers.installed().modules().toString());
    }

    /** The fixture over pipes, online. */
    Installation install() {
        return backend.install(Installation.of("asking", Fixtures.NODE, arguments()));
    }

    /** A call whose questions wait so long; its id. */
    String call(Installation server, String arguments, long inputTimeoutMs) {
        return call(server, arguments, inputTimeoutMs, UnaryOperator.identity());
    }

    /** The same, of which {@code change} alters the request. */
    String call(
            Installation server,
            String arguments,
            long inputTimeoutMs,
            UnaryOperator<ObjectNode> change) {
        return backend.request(
                server,
                "ask",
                arguments,
                request -> {
                    request.putArray("accepts").add("input");
                    return change.apply(request.put("input_timeout_ms", inputTimeoutMs));
                });
    }

    /** The first question of a call. */
    Received question(String call) {
        return questions(call, 1).getFirst();
    }

    /** The first so many questions of a call, as they were asked; repeats are left out. */
    List<Received> questions(String call, int count) {
        var known = new HashSet<String>();
        return fleet.records()
                .await(
                        Topic.CALL_EVENTS,
                        "question of " + call,
                        count,
                        event -> isQuestion(event, call) && known.add(event.header("ce_id")),
                        Records.PATIENCE);
    }

    /** How many different questions of a call have come so far. */
    long count(String call) {
        return fleet.records().on(Topic.CALL_EVENTS).stream()
                .filter(event -> isQuestion(event, call))
                .map(event -> event.text("input_id"))
                .distinct()
                .count();
    }

    private static boolean isQuestion(Received event, String call) {
        return event.key().equals(call)
                && event.text("event").equals("perigee.call.input_required");
    }

    /** Answers a question; the id of the response. */
    String respond(Installation by, Received question, String response) {
        return respond(
                by, question.key(), question.text("input_id"), "{\"question\":" + response + "}");
    }

    /** Sends any responses to any question; the id of the response. */
    String respond(Installation by, String call, String inputId, String responses) {
        return backend.request(
                by,
                "",
                "{}",
                request -> {
                    request.remove(List.of("tool_path", "arguments"));
                    request.put("method", "call/respond")
                            .put("in_reply_to", call)
                            .put("input_id", inputId)
                            .put("timeout_ms", RESPONSE_MS);
                    request.set("responses", Json.tree(responses.getBytes(StandardCharsets.UTF_8)));
                    return request;
                });
    }

    /** A response counts. */
    void assertTaken(String response) {
        var answer = backend.answer(response);
        assertThat(answer.text("outcome")).as("%s", answer).isEqualTo("success");
        assertThat(answer.text("result/accepted")).isEqualTo("true");
    }

    /** A response does not count, and its author is told why. */
    void assertRefused(String response, String why) {
        var answer = backend.answer(response);
        assertThat(answer.text("error/code")).as("%s", answer).isEqualTo("invalid_request");
        assertThat(answer.text("error/message")).contains(why);
    }

    /** The JSON that the fixture gives in the end, as its head says. */
    JsonNode told(String call) {
        var answer = backend.answer(call);
        assertThat(answer.text("outcome")).as("%s", answer).isEqualTo("success");
        return Json.tree(answer.text("result/content/0/text").getBytes(StandardCharsets.UTF_8));
    }

    /** The call has its room, and ran once. */
    void assertBooked(String call, int calls) {
        var told = told(call);
        assertThat(told.at("/answers/0/content/room").asString("")).isEqualTo("blue");
        assertThat(told.path("calls").asInt(0)).as("calls that the server saw").isEqualTo(calls);
        assertOneAnswer(call);
    }

    /** So far there is one terminal answer; repeats of it have its id. */
    void assertOneAnswer(String request) {
        assertThat(
                        fleet.records().on(Topic.TOOL_RESULTS).stream()
                                .filter(result -> result.text("request_id").equals(request))
                                .map(result -> result.header("ce_id"))
                                .distinct())
                .as("answers to %s", request)
                .hasSize(1);
    }
}
