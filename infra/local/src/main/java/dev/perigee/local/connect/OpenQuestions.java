package dev.perigee.local.connect;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Questions of running calls that a client has not answered: each of its requests is one to the
 * client, and the responses go back together. A form that the client does not show, or answers with
 * an error, counts as left by its user; a model's words that it does not give end the call, since
 * nobody else can say them. As many questions as the fleet has open of all calls, of {@link
 * #MOST_REQUESTS} requests each. Pure; for one thread.
 */
final class OpenQuestions {
    /** Requests of one question. */
    static final int MOST_REQUESTS = 16;

    private static final int MOST_CHARACTERS = 200;
    private static final String REFUSED = "which the client refused";
    private static final RawJson LEFT = RawJson.of("{\"action\":\"cancel\"}");
    private static final Set<String> ACTIONS = Set.of("accept", "decline", "cancel");
    private static final Set<String> ROLES = Set.of("user", "assistant");

    /** Consequence of a question or a response. */
    sealed interface Outcome {
        /** Messages for the client, by the names of the questions that it has to answer. */
        record Asked(String requestId, Map<String, RawJson> messages) implements Outcome {}

        /** All is answered. */
        record Answered(CallInputRequired question, RawJson responses) implements Outcome {}

        /** The call cannot go on; {@code why} is for its user. */
        record Refused(String requestId, String why) implements Outcome {}
    }

    private record Request(@Nullable String method, @Nullable RawJson params) {
        String methodOrNone() {
            return method == null ? "" : method;
        }

        RawJson paramsOrNone() {
            return params == null ? RawJson.EMPTY_OBJECT : params;
        }
    }

    private record ClientError(@JsonProperty("message") @Nullable String message) {}

    private static final class Question {
        private final CallInputRequired asked;
        private final Map<String, RawJson> responses = new LinkedHashMap<>();
        private final Set<Long> open = new HashSet<>();

        Question(CallInputRequired asked) {
            this.asked = asked;
        }
    }

    /** One request to the client. */
    private record Part(Question question, String name, String method) {}

    private final Map<Long, Part> parts = new HashMap<>();
    private long lastId;

    /** A question, which is not known yet. */
    Outcome ask(CallInputRequired asked, ClientAbilities abilities) {
        try {
            var requests = new LinkedHashMap<String, Request>();
            JsonObjects.members(asked.requests())
                    .forEach((name, each) -> requests.put(name, Json.read(each, Request.class)));
            return requests.isEmpty() || requests.size() > MOST_REQUESTS
                    ? refused(asked, "asks for nothing, or for too much at once")
                    : ask(asked, requests, abilities);
        } catch (InvalidRecordException e) {
            return refused(asked, "has a question that cannot be read");
        }
    }

    private Outcome ask(
            CallInputRequired asked, Map<String, Request> requests, ClientAbilities abilities) {
        var question = new Question(asked);
        var messages = new LinkedHashMap<String, RawJson>();
        var begun = new LinkedHashMap<Long, Part>();
        for (var each : requests.entrySet()) {
            var name = each.getKey();
            var method = each.getValue().methodOrNone();
            var params = each.getValue().paramsOrNone();
            if (abilities.answer(method, Json.tree(params.bytes()))) {
                long id = ++lastId;
                begun.put(id, new Part(question, name, method));
                question.open.add(id);
                messages.put(name, Messages.request(id, method, shown(asked, method, params)));
            } else if (method.equals(ClientAbilities.ELICIT)) {
                question.responses.put(name, LEFT);
            } else {
                return refused(asked, "asks for what this client does not answer (" + method + ")");
            }
        }
        parts.putAll(begun);
        return messages.isEmpty()
                ? answered(question)
                : new Outcome.Asked(asked.requestId(), messages);
    }

    /** With who asks, of a question to a person: all that is said is the server's own otherwise. */
    private static RawJson shown(CallInputRequired asked, String method, RawJson params) {
        if (!method.equals(ClientAbilities.ELICIT)) {
            return params;
        }
        var members = JsonObjects.members(params);
        var text = JsonObjects.text(members.get("message"));
        members.put("message", Json.raw("[" + server(asked) + "] " + (text == null ? "" : text)));
        members.remove("task");
        return Json.raw(members);
    }

    private static String server(CallInputRequired asked) {
        try {
            return ToolPath.parse(asked.toolPath()).serverSlug();
        } catch (InvalidRecordException e) {
            return "a server";
        }
    }

    private static Outcome refused(CallInputRequired asked, String why) {
        return new Outcome.Refused(
                asked.requestId(),
                "The server " + server(asked) + " " + why + ": its call was cancelled");
    }

    private static Outcome answered(Question question) {
        return new Outcome.Answered(question.asked, Json.raw(question.responses));
    }

    /** A response of the client; null where it is to none of these, or there are more to come. */
    @Nullable Outcome respond(JsonRpc response) {
        var part = parts.remove(response.number());
        if (part == null) {
            return null;
        }
        var question = part.question();
        question.open.remove(response.number());
        var result = response.result();
        if (result != null && isValid(part.method(), result)) {
            question.responses.put(part.name(), result);
        } else if (part.method().equals(ClientAbilities.ELICIT)) {
            question.responses.put(part.name(), LEFT);
        } else {
            return refused(question.asked, "asked for a model's words, " + reason(response));
        }
        return question.open.isEmpty() ? answered(question) : null;
    }

    private static String reason(JsonRpc response) {
        if (response.error() == null) {
            return "and the client's answer was none";
        }
        try {
            var said = Json.read(response.error(), ClientError.class).message();
            return said == null ? REFUSED : REFUSED + " (" + shortened(said) + ")";
        } catch (InvalidRecordException e) {
            return REFUSED;
        }
    }

    private static String shortened(String said) {
        return JsonObjects.wellFormed(said.substring(0, Math.min(MOST_CHARACTERS, said.length())));
    }

    private static boolean isValid(String method, RawJson result) {
        if (result.size() > ToolRequest.MAX_RESPONSES_BYTES / 2) {
            return false;
        }
        JsonNode tree = Json.tree(result.bytes());
        return method.equals(ClientAbilities.ELICIT)
                ? ACTIONS.contains(tree.path("action").asString(""))
                        && (!tree.has("content") || tree.path("content").isObject())
                : ROLES.contains(tree.path("role").asString(""))
                        && tree.path("content").isContainer()
                        && tree.path("model").isString();
    }

    /** The call has ended: messages that take its questions back. */
    List<RawJson> withdraw(String requestId) {
        var messages = new ArrayList<RawJson>();
        parts.entrySet()
                .removeIf(
                        each -> {
                            if (!each.getValue().question().asked.requestId().equals(requestId)) {
                                return false;
                            }
                            var params = new LinkedHashMap<String, Object>();
                            params.put("requestId", each.getKey());
                            params.put("reason", "The call has ended");
                            messages.add(Messages.notification("notifications/cancelled", params));
                            return true;
                        });
        return messages;
    }
}
