package dev.perigee.local.connect;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.LogLevel;
import dev.perigee.protocol.tool.ToolResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Session of one MCP client, of the revisions with {@code initialize}: takes the client's messages
 * and the fleet's news, and gives the {@link Action}s that follow. Pure; for one thread. Bounds:
 * {@link OpenCalls} in flight, and {@link #MOST_WAITING} requests that wait for the first offer.
 *
 * <pre>
 *   connected ── initialize ──▶ initialized ── notifications/initialized ──▶ told of changes
 *          lists and calls wait until the first offer; the end cancels all calls
 * </pre>
 */
final class McpSession {
    /** Requests that wait for the first offer. */
    static final int MOST_WAITING = 16;

    private static final String LIST = "tools/list";
    private static final String CALL = "tools/call";
    private static final List<String> VERSIONS =
            List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");
    private static final String INSTRUCTIONS =
            "The tools of one user's MCP servers, which run on a fleet. The name of a tool begins"
                    + " with its server's. An error of the fleet says what happened and what to do.";

    private record Initialize(
            @JsonProperty("protocolVersion") @Nullable String protocolVersion,
            @Nullable RawJson capabilities) {}

    private record ListTools(@Nullable String cursor) {}

    private record SetLevel(@Nullable String level) {}

    private record Cancelled(@JsonProperty("requestId") @Nullable RawJson requestId) {}

    private record Waiting(RawJson id, String method, RawJson params, int bytes) {}

    private final ConnectOptions options;
    private final SessionCalls calls;
    private final List<Waiting> waiting = new ArrayList<>();
    private ClientAbilities abilities = ClientAbilities.NONE;
    private @Nullable String version;
    private boolean ready;
    private @Nullable LogLevel logLevel;
    private @Nullable Offer offer;

    /**
     * A session before its first message.
     *
     * @param hasEvents false of a fleet that publishes nothing of running calls
     * @param ids request ids, each unlike all others
     */
    McpSession(ConnectOptions options, boolean hasEvents, Supplier<String> ids) {
        this.options = options;
        this.calls = new SessionCalls(options, hasEvents, ids);
    }

    /** A message of the client. */
    List<Action> received(byte[] line) {
        JsonRpc message;
        try {
            message = JsonRpc.readInput(line);
        } catch (InvalidRecordException e) {
            int code = e.isMalformed() ? Messages.PARSE_ERROR : Messages.INVALID_REQUEST;
            return error(null, code, "This is no JSON-RPC message: " + e.getMessage());
        }
        var id = message.id();
        if (id != null && !Messages.isId(id)) {
            return error(null, Messages.INVALID_REQUEST, "An id is a string or a number");
        }
        if (!JsonRpc.VERSION.equals(message.version())) {
            return error(id, Messages.INVALID_REQUEST, "jsonrpc must be \"2.0\"");
        }
        var method = message.method();
        if (method == null) {
            return id != null && (message.result() != null || message.error() != null)
                    ? calls.responded(message)
                    : error(id, Messages.INVALID_REQUEST, "A message has a method or a result");
        }
        var params = message.params() == null ? RawJson.EMPTY_OBJECT : message.params();
        return id == null
                ? notified(method, params)
                : requested(new Waiting(id, method, params, line.length));
    }

    /** A message that is longer than messages may be, of which nothing else is known. */
    List<Action> receivedTooMuch(int mostBytes) {
        return error(
                null,
                Messages.INVALID_REQUEST,
                "A message may have " + mostBytes + " bytes: this one was passed over");
    }

    private static List<Action> error(@Nullable RawJson id, int code, String message) {
        return List.of(new Action.Send(Messages.error(id, code, message)));
    }

    private List<Action> requested(Waiting request) {
        var id = request.id();
        try {
            return calls.hasId(id) || waiting.stream().anyMatch(each -> each.id().equals(id))
                    ? error(id, Messages.INVALID_REQUEST, "A request with this id is in flight")
                    : carriedOut(request);
        } catch (InvalidRecordException e) {
            return error(
                    id, Messages.INVALID_PARAMS, "The params are not right: " + e.getMessage());
        }
    }

    private List<Action> carriedOut(Waiting request) {
        var id = request.id();
        var params = request.params();
        if (request.method().equals("ping")) {
            return answer(id, RawJson.EMPTY_OBJECT);
        }
        if (request.method().equals("initialize")) {
            return initialize(id, Json.read(params, Initialize.class));
        }
        if (version == null) {
            return error(id, Messages.INVALID_REQUEST, "The session begins with initialize");
        }
        var current = offer;
        return switch (request.method()) {
            case LIST ->
                    current == null
                            ? waits(request)
                            : List.of(page(current, id, Json.read(params, ListTools.class)));
            case CALL ->
                    current == null
                            ? waits(request)
                            : calls.call(id, params, request.bytes(), current, abilities, logLevel);
            case "logging/setLevel" -> setLevel(id, Json.read(params, SetLevel.class).level());
            default ->
                    error(
                            id,
                            Messages.METHOD_NOT_FOUND,
                            "There is no such method here: this server has tools and logging");
        };
    }

    private List<Action> waits(Waiting request) {
        long bytes = waiting.stream().mapToLong(Waiting::bytes).sum() + request.bytes();
        if (waiting.size() >= MOST_WAITING || bytes > OpenCalls.MOST_BYTES) {
            return error(
                    request.id(),
                    Messages.INVALID_REQUEST,
                    "Too many requests wait for the catalogue to be read");
        }
        waiting.add(request);
        return List.of();
    }

    private static List<Action> answer(RawJson id, Object result) {
        return List.of(new Action.Send(Messages.result(id, result)));
    }

    private List<Action> initialize(RawJson id, Initialize params) {
        if (version != null) {
            return error(id, Messages.INVALID_REQUEST, "The session is initialized");
        }
        var asked = params.protocolVersion();
        var spoken = asked != null && VERSIONS.contains(asked) ? asked : VERSIONS.getFirst();
        version = spoken;
        abilities = ClientAbilities.of(params.capabilities());
        var server = new LinkedHashMap<String, Object>();
        server.put("name", "perigee");
        server.put("title", "Perigee");
        server.put("version", options.version());
        var result = new LinkedHashMap<String, Object>();
        result.put("protocolVersion", spoken);
        result.put(
                "capabilities", Map.of("tools", Map.of("listChanged", true), "logging", Map.of()));
        result.put("serverInfo", server);
        result.put("instructions", INSTRUCTIONS);
        return answer(id, result);
    }

    private List<Action> setLevel(RawJson id, @Nullable String name) {
        var level = name == null ? null : LogLevel.of(name);
        if (level == null) {
            return error(id, Messages.INVALID_PARAMS, "level is none of MCP's");
        }
        logLevel = level;
        return answer(id, RawJson.EMPTY_OBJECT);
    }

    private static Action page(Offer offer, RawJson id, ListTools params) {
        var page = offer.page(params.cursor());
        var result = new LinkedHashMap<String, Object>();
        result.put("tools", page.tools());
        var next = page.nextCursor();
        if (next != null) {
            result.put("nextCursor", next);
        }
        return new Action.Send(Messages.result(id, result));
    }

    private List<Action> notified(String method, RawJson params) {
        return switch (method) {
            case "notifications/initialized" -> {
                ready = version != null;
                yield List.of();
            }
            case "notifications/cancelled" -> cancelled(params);
            default -> List.of();
        };
    }

    private List<Action> cancelled(RawJson params) {
        try {
            var id = Json.read(params, Cancelled.class).requestId();
            if (id == null) {
                return List.of();
            }
            waiting.removeIf(each -> each.id().equals(id));
            return calls.cancelled(id);
        } catch (InvalidRecordException e) {
            return List.of();
        }
    }

    /** Whether requests wait for the first offer. */
    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** The tools there are now, for the first time or changed. */
    List<Action> offered(Offer now) {
        var before = offer;
        offer = now;
        var actions = new ArrayList<Action>();
        var due = List.copyOf(waiting);
        waiting.clear();
        due.forEach(each -> actions.addAll(requested(each)));
        if (ready && before != null && !before.equals(now)) {
            actions.add(
                    new Action.Send(
                            Messages.notification("notifications/tools/list_changed", Map.of())));
        }
        return actions;
    }

    /** An event of a running call. */
    List<Action> happened(EventBody event) {
        return calls.happened(event, abilities);
    }

    /** A call has its answer. */
    List<Action> answered(ToolResult answer) {
        return calls.answered(answer);
    }

    /**
     * A call ended without an answer of the fleet's.
     *
     * @param code as the fleet's are
     * @param message what happened and what to do
     */
    List<Action> unanswered(String requestId, String code, String message) {
        return calls.unanswered(requestId, code, message);
    }

    /** The client is gone: its calls end, and lists that wait may still be answered. */
    List<Action> ended() {
        waiting.removeIf(each -> !each.method().equals(LIST));
        return calls.ended();
    }
}
