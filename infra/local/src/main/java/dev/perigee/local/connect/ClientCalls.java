package dev.perigee.local.connect;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.local.connect.OpenCalls.Call;
import dev.perigee.local.connect.OpenQuestions.Outcome;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.event.EventBody.CallLog;
import dev.perigee.protocol.event.EventBody.CallProgress;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.protocol.tool.LogLevel;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls of one client's session: requests to the fleet, what is heard of them, and what the client
 * is told. Pure; for one thread.
 */
final class ClientCalls {
    /** How long the answer may take to come back after the deadline of the call itself. */
    private static final Duration RETURN = Duration.ofSeconds(10);

    /** How long all questions of a call may wait unless the operator chose otherwise. */
    private static final Duration QUESTIONS = Duration.ofHours(1);

    private record Params(
            @Nullable String name,
            @Nullable RawJson arguments,
            @JsonProperty("_meta") @Nullable RawJson meta) {}

    private record Meta(@JsonProperty("progressToken") @Nullable RawJson progressToken) {}

    private final ConnectOptions options;
    private final boolean hasEvents;
    private final Supplier<String> ids;
    private final OpenCalls calls = new OpenCalls();
    private final OpenQuestions questions = new OpenQuestions();

    /** No call yet; parameters as of {@link McpSession}. */
    ClientCalls(ConnectOptions options, boolean hasEvents, Supplier<String> ids) {
        this.options = options;
        this.hasEvents = hasEvents;
        this.ids = ids;
    }

    boolean hasId(RawJson id) {
        return calls.hasId(id);
    }

    /**
     * The client calls a tool.
     *
     * @param bytes size of the message
     * @throws InvalidRecordException when the parameters are not right
     */
    List<Action> call(
            RawJson id,
            RawJson json,
            int bytes,
            Offer offer,
            ClientAbilities abilities,
            @Nullable LogLevel logLevel) {
        var params = Json.read(json, Params.class);
        var arguments = params.arguments() == null ? RawJson.EMPTY_OBJECT : params.arguments();
        if (!JsonObjects.isObject(arguments)) {
            throw InvalidRecordException.invalid("arguments is no object");
        }
        var tool = params.name() == null ? null : offer.find(params.name());
        if (tool == null) {
            var message = "unknown_tool: There is no tool of this name: list the tools again";
            return List.of(
                    Action.Send.reply(id, Messages.error(id, Messages.INVALID_PARAMS, message)));
        }
        var method = ToolMethod.TOOLS_CALL;
        var call = new Call(id, method, ids.get(), token(params.meta()), bytes);
        var path = ToolPath.of(tool.serverSlug(), tool.tool());
        return begin(
                call, request(call, path, tool.installationId(), arguments, abilities, logLevel));
    }

    /**
     * The client reads a resource, renders a prompt or has the one server complete an argument.
     *
     * @param path of what is asked for
     * @param arguments null for none
     * @throws InvalidRecordException when the parameters are not right
     */
    List<Action> ask(
            RawJson id,
            ToolMethod method,
            String path,
            OneServer server,
            @Nullable RawJson arguments,
            RawJson json,
            ClientAbilities abilities,
            @Nullable LogLevel logLevel) {
        var meta = Json.read(json, Params.class).meta();
        var call = new Call(id, method, ids.get(), token(meta), json.size());
        return begin(
                call, request(call, path, server.installationId(), arguments, abilities, logLevel));
    }

    private List<Action> begin(Call call, ToolRequest request) {
        request.requireLimits();
        if (!calls.begin(call)) {
            return List.of(
                    reply(
                            call,
                            CallReply.failed(
                                    call,
                                    "overloaded",
                                    "This client has too many calls in flight: wait for some")));
        }
        return List.of(new Action.Call(request, longest(request)));
    }

    private static Action reply(Call call, RawJson message) {
        return Action.Send.reply(call.id(), message);
    }

    private static @Nullable RawJson token(@Nullable RawJson meta) {
        var token = meta == null ? null : Json.read(meta, Meta.class).progressToken();
        if (token != null && !Messages.isId(token)) {
            throw InvalidRecordException.invalid(
                    "progressToken is neither a short string nor a number");
        }
        return token;
    }

    private ToolRequest request(
            Call call,
            String path,
            String installationId,
            @Nullable RawJson arguments,
            ClientAbilities abilities,
            @Nullable LogLevel logLevel) {
        var accepts = new ArrayList<String>();
        boolean progress = hasEvents && call.progressToken() != null;
        boolean log = hasEvents && logLevel != null;
        if (progress) {
            accepts.add(CallPart.PROGRESS.wireName());
        }
        if (log) {
            accepts.add(CallPart.LOG.wireName());
        }
        if (hasEvents && abilities.any()) {
            accepts.add(CallPart.INPUT.wireName());
        }
        long timeout = options.timeout().toMillis();
        return new ToolRequest(
                call.requestId(),
                options.teamId(),
                options.userId(),
                call.method().wireName(),
                path,
                installationId,
                arguments,
                timeout,
                null,
                null,
                accepts.isEmpty() ? null : accepts,
                null,
                log && logLevel != null ? logLevel.wireName() : null,
                progress ? timeout : null,
                progress ? Math.max(timeout, ToolRequest.DEFAULT_MAX_TIMEOUT_MS) : null);
    }

    /** How long calls may take at most, of which each takes so long without progress. */
    static Duration longest(Duration timeout) {
        return Collections.max(
                        List.of(timeout, Duration.ofMillis(ToolRequest.DEFAULT_MAX_TIMEOUT_MS)))
                .plus(RETURN)
                .plus(QUESTIONS);
    }

    private static Duration longest(ToolRequest request) {
        var most = request.maxTimeoutMs() == null ? request.timeoutMs() : request.maxTimeoutMs();
        var wait = Duration.ofMillis(most == null ? 0 : most).plus(RETURN);
        return request.accepts(CallPart.INPUT) ? wait.plus(QUESTIONS) : wait;
    }

    /** The client waits for a request no more. */
    List<Action> cancelled(RawJson id) {
        var call = calls.leave(id);
        if (call == null) {
            return List.of();
        }
        var actions = withdrawn(call);
        actions.add(new Action.End(id));
        return actions;
    }

    private List<Action> withdrawn(Call call) {
        var actions = withdrawals(call);
        actions.add(new Action.Cancel(call.requestId(), call.id()));
        return actions;
    }

    private List<Action> withdrawals(Call call) {
        var actions = new ArrayList<Action>();
        questions
                .withdraw(call.requestId())
                .forEach(each -> actions.add(Action.Send.withdrawal(call.id(), each)));
        return actions;
    }

    /** The client answers one of our requests. */
    List<Action> responded(JsonRpc response) {
        var outcome = questions.respond(response);
        return outcome == null ? List.of() : after(outcome);
    }

    private List<Action> after(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Asked(var requestId, var messages) -> asked(requestId, messages);
            case Outcome.Answered(var question, var responses) ->
                    List.of(new Action.Respond(question, responses));
            case Outcome.Refused(var requestId, var why) -> refused(requestId, why);
        };
    }

    private List<Action> asked(String requestId, Map<String, RawJson> messages) {
        var call = calls.running(requestId);
        if (call == null) {
            return List.of();
        }
        var actions = new ArrayList<Action>();
        messages.forEach((name, each) -> actions.add(Action.Send.question(call.id(), name, each)));
        return actions;
    }

    private List<Action> refused(String requestId, String why) {
        var call = calls.running(requestId);
        if (call == null) {
            return List.of();
        }
        var actions = withdrawn(call);
        calls.leave(call.id());
        actions.add(reply(call, CallReply.failed(call, "input_refused", why)));
        return actions;
    }

    /** An event of a running call; of another there is nothing to do. */
    List<Action> happened(EventBody event, ClientAbilities abilities) {
        return switch (event) {
            case CallProgress progress -> progressed(progress);
            case CallLog log -> logged(log);
            case CallInputRequired question -> {
                var call = calls.running(question.requestId());
                yield call == null || !call.isNew(question.inputId())
                        ? List.of()
                        : after(questions.ask(question, abilities));
            }
            default -> List.of();
        };
    }

    private List<Action> progressed(CallProgress progress) {
        var call = calls.running(progress.requestId());
        var token = call == null ? null : call.progressToken();
        if (call == null || token == null || !call.advances(progress.progress())) {
            return List.of();
        }
        var params = new LinkedHashMap<String, Object>();
        params.put("progressToken", token);
        params.put("progress", progress.progress());
        if (progress.total() != null) {
            params.put("total", progress.total());
        }
        if (progress.message() != null) {
            params.put("message", progress.message());
        }
        return List.of(
                Action.Send.note(
                        call.id(), Messages.notification("notifications/progress", params)));
    }

    private List<Action> logged(CallLog log) {
        var call = calls.running(log.requestId());
        if (call == null) {
            return List.of();
        }
        var server = log.toolPath() == null ? "" : ToolPath.parse(log.toolPath()).serverSlug();
        var params = new LinkedHashMap<String, Object>();
        params.put("level", log.level());
        params.put("logger", log.logger() == null ? server : server + "/" + log.logger());
        params.put("data", log.data() == null ? "" : log.data());
        return List.of(
                Action.Send.note(
                        call.id(), Messages.notification("notifications/message", params)));
    }

    /** A call has its answer. */
    List<Action> answered(ToolResult answer) {
        var call = calls.end(answer.requestId());
        return call == null ? List.of() : over(call, CallReply.of(call, answer));
    }

    /** A call has none; parameters as of {@link McpSession#unanswered}. */
    List<Action> unanswered(String requestId, String code, String message) {
        var call = calls.end(requestId);
        return call == null ? List.of() : over(call, CallReply.failed(call, code, message));
    }

    private List<Action> over(Call call, RawJson reply) {
        var actions = withdrawals(call);
        actions.add(reply(call, reply));
        return actions;
    }

    /** The client is gone: all calls are to end. */
    List<Action> ended() {
        var actions = new ArrayList<Action>();
        for (var call : calls.all()) {
            calls.leave(call.id());
            actions.add(new Action.Cancel(call.requestId(), call.id()));
        }
        return actions;
    }
}
