package dev.perigee.worker.instance;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.worker.tool.McpSpan;
import dev.perigee.worker.tool.ServerRequest;
import dev.perigee.worker.tool.ToolListing;
import dev.perigee.worker.tool.ToolListing.ListedTool;
import dev.perigee.worker.tool.ToolResults;
import dev.perigee.worker.tool.ToolSearch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Intake of tool requests: finds the instance, answers at once what needs no server or cannot be
 * served, and starts the rest. Safe for use by any thread; does not block.
 */
final class RequestDesk {
    private static final long DEFAULT_SEARCH_LIMIT = 10;
    private static final RawJson TAKEN = RawJson.of("{\"accepted\":true}");

    private final ConcurrentHashMap<String, Instance> instances;
    private final HostParts parts;

    RequestDesk(ConcurrentHashMap<String, Instance> instances, HostParts parts) {
        this.instances = instances;
        this.parts = parts;
    }

    /** The answer, or null when the request was accepted. */
    @Nullable ToolResult execute(ToolOrder.Execute order, boolean leaving) {
        var request = order.request();
        if (leaving) {
            return refused(
                    order,
                    null,
                    ErrorCode.UNAVAILABLE,
                    "This worker no longer runs the server: try again");
        }
        var method = ToolMethod.of(request.method());
        if (method == null) {
            return refused(order, null, ErrorCode.INVALID_REQUEST, "There is no such method");
        }
        try {
            return switch (method) {
                case TOOLS_LIST -> listing(request, listed(request));
                case TOOLS_SEARCH -> search(request);
                case TOOLS_CALL,
                        RESOURCES_LIST,
                        RESOURCES_TEMPLATES_LIST,
                        RESOURCES_READ,
                        RESOURCES_SUBSCRIBE,
                        RESOURCES_UNSUBSCRIBE,
                        PROMPTS_LIST,
                        PROMPTS_GET,
                        COMPLETION_COMPLETE,
                        TASKS_GET,
                        TASKS_LIST,
                        TASKS_CANCEL ->
                        forServer(order, method);
                case CALL_RESPOND -> respond(order);
                case CANCEL ->
                        refused(
                                order,
                                null,
                                ErrorCode.INVALID_REQUEST,
                                "A cancellation is no request to a server");
            };
        } catch (InvalidRecordException e) {
            return refused(order, null, ErrorCode.INVALID_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    /** The response is journalled before the server has it, so that its repeat is recognized. */
    private @Nullable ToolResult respond(ToolOrder.Execute order) {
        var request = order.request();
        var call = Require.present(request.inReplyTo(), "in_reply_to");
        var inputId = Require.present(request.inputId(), "input_id");
        var responses = Require.present(request.responses(), "responses");
        for (var instance : of(request)) {
            for (var running : instance.calls().all()) {
                if (running.isOf(call)) {
                    return switch (running.respond(inputId, responses)) {
                        case CallInput.Verdict.Refused(var why) ->
                                refused(order, instance, ErrorCode.INVALID_REQUEST, why);
                        case CallInput.Verdict.Taken(var deliver) -> {
                            instance.journal().appendResult(order, taken(order, instance));
                            deliver.run();
                            yield null;
                        }
                    };
                }
            }
        }
        return refused(order, null, ErrorCode.INVALID_REQUEST, whyNot(request, call, inputId));
    }

    private ToolResult taken(ToolOrder.Execute order, Instance instance) {
        return ToolResults.answered(
                order.request(),
                instance.processId(),
                TAKEN,
                new ToolResults.Effort(0, 0, parts.clock().instant()));
    }

    /** Does not disclose other users' calls. */
    private String whyNot(ToolRequest request, String call, String inputId) {
        for (var instance : of(request)) {
            var fate = instance.endedQuestions().of(call, inputId);
            if (fate != null) {
                return fate.message();
            }
        }
        return "No call of this user that is running asks this question";
    }

    private @Nullable ToolResult forServer(ToolOrder.Execute order, ToolMethod method) {
        var span = McpSpan.begin(order, method);
        var refused = forServer(order, method, span);
        if (refused != null) {
            span.end(refused);
        }
        return refused;
    }

    private @Nullable ToolResult forServer(
            ToolOrder.Execute order, ToolMethod method, McpSpan span) {
        var serverRequest =
                ServerRequest.of(method, order.request(), span.traceparent(), span.tracestate());
        var candidates = find(order);
        if (candidates.size() != 1) {
            return notOne(order, candidates);
        }
        var instance = candidates.getFirst();
        var view = instance.board().current();
        if (!isOwner(instance, order.request())) {
            return refused(
                    order, null, ErrorCode.FORBIDDEN, "The server belongs to another team or user");
        }
        return accept(order, instance, view, serverRequest, span);
    }

    private @Nullable ToolResult accept(
            ToolOrder.Execute order,
            Instance instance,
            @Nullable View view,
            ServerRequest serverRequest,
            McpSpan span) {
        // One that goes on from a question needs no server yet, which may be in quarantine.
        if (order.resume() == null
                && CallGate.decide(view, serverRequest.tool())
                        instanceof CallGate.Refuse(var error)) {
            HttpRun.refused(view, parts.options());
            return refused(order, instance, error);
        }
        var left = Duration.between(parts.clock().instant(), order.deadline());
        if (!left.isPositive()) {
            return refused(
                    order,
                    instance,
                    ErrorCode.EXPIRED,
                    "The request's time was over before it could be sent");
        }
        // One that goes on was counted on another worker, and would be lost where it is refused.
        if (!instance.journal().acceptsCalls()
                || (order.resume() == null
                        && instance.calls().count() >= parts.options().maxCalls())) {
            return refused(
                    order,
                    instance,
                    ErrorCode.OVERLOADED,
                    "The server has too many requests or results under way: try again later");
        }
        var call = new AcceptedCall(instance, order, serverRequest, span, left);
        call.resume(); // Its question is open before anybody can answer, cancel or end the call.
        instance.calls().add(call);
        call.begin();
        return null;
    }

    private List<Instance> find(ToolOrder.Execute order) {
        if (order.processId() != null) {
            var instance = instances.get(order.processId());
            return instance == null ? List.of() : List.of(instance);
        }
        var slug = ToolPath.parse(order.request().toolPath()).serverSlug();
        var installation = order.request().installationId();
        return of(order.request()).stream()
                .filter(
                        instance -> {
                            var identity = instance.identity();
                            return identity.serverSlug().equals(slug)
                                    && (installation == null
                                            || identity.installationId().equals(installation));
                        })
                .toList();
    }

    private ToolResult notOne(ToolOrder.Execute order, List<Instance> candidates) {
        if (candidates.isEmpty()) {
            return refused(
                    order,
                    null,
                    ErrorCode.UNKNOWN_SERVER,
                    "This user has no such server: see tools/list");
        }
        return refused(
                order,
                null,
                ErrorCode.INVALID_REQUEST,
                "This user has several installations of the server: name installation_id");
    }

    /** The user's instances. */
    private List<Instance> of(ToolRequest request) {
        return instances.values().stream().filter(instance -> isOwner(instance, request)).toList();
    }

    private static boolean isOwner(Instance instance, ToolRequest request) {
        var identity = instance.identity();
        return identity.teamId().equals(request.teamId())
                && identity.userId().equals(request.userId());
    }

    private List<ListedTool> listed(ToolRequest request) {
        var tools = new ArrayList<ListedTool>();
        for (var instance : of(request)) {
            var view = instance.board().current();
            if (view == null || !view.isAvailable() || view.catalogue() == null) {
                continue;
            }
            for (var tool : view.catalogue().enabled(view.disabledTools())) {
                tools.add(ListedTool.of(view.identity().installationId(), tool));
            }
        }
        return tools;
    }

    private ToolResult search(ToolRequest request) {
        if (request.query() == null || request.query().isBlank()) {
            throw InvalidRecordException.invalid("field query is missing");
        }
        long limit = request.limit() == null ? DEFAULT_SEARCH_LIMIT : request.limit();
        return listing(
                request,
                ToolSearch.find(
                        listed(request), request.query(), Math.clamp(limit, 1, Integer.MAX_VALUE)));
    }

    private ToolResult listing(ToolRequest request, List<ListedTool> tools) {
        return ToolResults.answered(
                request,
                null,
                Json.raw(ToolListing.of(tools)),
                new ToolResults.Effort(0, 0, parts.clock().instant()));
    }

    private ToolResult refused(
            ToolOrder.Execute order, @Nullable Instance instance, ErrorCode code, String message) {
        var view = instance == null ? null : instance.board().current();
        return refused(
                order, instance, ToolError.of(code, message, view == null ? null : view.status()));
    }

    private ToolResult refused(
            ToolOrder.Execute order, @Nullable Instance instance, ToolError error) {
        return ToolResult.refused(
                order.request(),
                instance == null ? order.processId() : instance.processId(),
                error,
                parts.clock().instant());
    }

    /** True when there was a call to cancel. */
    boolean cancel(ToolOrder.Cancel order) {
        boolean found = false;
        for (var instance : instances.values()) {
            for (var call : instance.calls().all()) {
                found |= call.matches(order) && call.cancel();
            }
        }
        return found;
    }
}
