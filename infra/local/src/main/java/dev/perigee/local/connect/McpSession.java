package dev.perigee.local.connect;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.tool.LogLevel;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Session of one MCP client, whatever carries its messages: takes them and the fleet's news, and
 * gives the {@link Action}s that follow. Pure; for one thread. Of 2026-07-28, which has no
 * sessions, each request has one of its own. Bounds: {@link OpenCalls} in flight, and {@link
 * #MOST_WAITING} requests that wait for the first offer.
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
    private static final String READ = "resources/read";
    private static final String RENDER = "prompts/get";
    private static final String COMPLETE = "completion/complete";
    private static final Set<String> COMPLETION = Set.of("ref", "argument", "context");

    /** Methods that 2026-07-28 has no more, and those that it brought. */
    private static final Set<String> BEFORE = Set.of("initialize", "ping", "logging/setLevel");

    private static final Set<String> AFTER = Set.of("server/discover", "subscriptions/listen");
    private static final String INSTRUCTIONS =
            "The tools of one user's MCP servers, which run on a fleet. The name of a tool begins"
                    + " with its server's. An error of the fleet says what happened and what to do.";

    private record Initialize(
            @JsonProperty("protocolVersion") @Nullable String protocolVersion,
            @Nullable RawJson capabilities) {}

    private record ListTools(@Nullable String cursor) {}

    private record SetLevel(@Nullable String level) {}

    private record Cancelled(@JsonProperty("requestId") @Nullable RawJson requestId) {}

    private record Listen(@Nullable Filter notifications) {}

    private record Filter(@JsonProperty("toolsListChanged") @Nullable Boolean tools) {}

    private record Resource(@Nullable String uri) {}

    private record Prompt(@Nullable String name, @Nullable RawJson arguments) {}

    private record Waiting(RawJson id, String method, RawJson params, int bytes) {}

    private final ConnectOptions options;
    private final ClientCalls calls;
    private final List<Waiting> waiting = new ArrayList<>();
    private ClientAbilities abilities = ClientAbilities.NONE;
    private @Nullable String version;
    private boolean ready;
    private @Nullable LogLevel logLevel;
    private @Nullable Offer offer;
    private @Nullable RawJson subscription;

    /**
     * A session before its first message.
     *
     * @param hasEvents false of a fleet that publishes nothing of running calls
     * @param ids request ids, each unlike all others
     */
    McpSession(ConnectOptions options, boolean hasEvents, Supplier<String> ids) {
        this.options = options;
        this.calls = new ClientCalls(options, hasEvents, ids);
    }

    /**
     * A session of revision 2026-07-28, which has none: it takes one request.
     *
     * @param abilities that the request announces
     * @param logLevel that it asks for; null for none
     */
    static McpSession stateless(
            ConnectOptions options,
            boolean hasEvents,
            Supplier<String> ids,
            ClientAbilities abilities,
            @Nullable LogLevel logLevel) {
        var session = new McpSession(options, hasEvents, ids);
        session.version = ModernMessage.VERSION;
        session.abilities = abilities;
        session.logLevel = logLevel;
        return session;
    }

    /** Whether sessions may be of this revision. */
    static boolean speaks(String revision) {
        return VERSIONS.contains(revision);
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
            return error(null, Messages.INVALID_REQUEST, "An id is a short string or a number");
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
        return List.of(Action.Send.reply(id, Messages.error(id, code, message)));
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
        var method = request.method();
        var others = ModernMessage.VERSION.equals(version) ? BEFORE : AFTER;
        if (others.contains(method)) {
            return unknown(id);
        }
        if (method.equals("ping")) {
            return answer(id, RawJson.EMPTY_OBJECT);
        }
        boolean needsOffer = method.equals("initialize") && options.isOfOneServer();
        if (needsOffer && offer == null) {
            return waits(request);
        }
        if (method.equals("initialize")) {
            return initialize(id, Json.read(params, Initialize.class));
        }
        if (version == null) {
            return error(id, Messages.INVALID_REQUEST, "The session begins with initialize");
        }
        if (method.equals("logging/setLevel")) {
            return setLevel(id, Json.read(params, SetLevel.class).level());
        }
        var current = offer;
        return current == null ? waits(request) : carriedOut(request, current);
    }

    private List<Action> carriedOut(Waiting request, Offer current) {
        var id = request.id();
        var params = request.params();
        return switch (request.method()) {
            case LIST -> List.of(page(current, id, Json.read(params, ListTools.class)));
            case CALL -> calls.call(id, params, request.bytes(), current, abilities, logLevel);
            case "server/discover" -> discover(id);
            case "subscriptions/listen" -> listen(id, Json.read(params, Listen.class));
            default -> {
                var one = current.one();
                yield one == null ? unknown(id) : ofOne(request, one);
            }
        };
    }

    private static List<Action> unknown(RawJson id) {
        return error(
                id,
                Messages.METHOD_NOT_FOUND,
                "There is no such method here: prompts and resources are there for one server");
    }

    private List<Action> ofOne(Waiting request, OneServer server) {
        var id = request.id();
        var list = server.list(request.method());
        if (list != null) {
            return answer(id, list);
        }
        if (request.method().equals(READ) && server.hasResources()) {
            var uri = Json.read(request.params(), Resource.class).uri();
            var path = server.slug() + "|" + Require.text(uri, "uri");
            return asked(request, ToolMethod.RESOURCES_READ, path, server, null);
        }
        if (request.method().equals(RENDER) && server.hasPrompts()) {
            var prompt = Json.read(request.params(), Prompt.class);
            var path = ToolPath.of(server.slug(), Require.text(prompt.name(), "name"));
            return asked(request, ToolMethod.PROMPTS_GET, path, server, prompt.arguments());
        }
        if (request.method().equals(COMPLETE) && server.hasCompletions()) {
            var params = JsonObjects.members(request.params());
            params.keySet().retainAll(COMPLETION);
            return asked(
                    request,
                    ToolMethod.COMPLETION_COMPLETE,
                    server.slug(),
                    server,
                    Json.raw(params));
        }
        return unknown(id);
    }

    private List<Action> asked(
            Waiting request,
            ToolMethod method,
            String path,
            OneServer server,
            @Nullable RawJson arguments) {
        return calls.ask(
                request.id(),
                method,
                path,
                server,
                arguments,
                request.params(),
                abilities,
                logLevel);
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
        return List.of(Action.Send.reply(id, Messages.result(id, result)));
    }

    private List<Action> discover(RawJson id) {
        var result = new LinkedHashMap<String, Object>();
        result.put("supportedVersions", List.of(ModernMessage.VERSION));
        result.put("capabilities", capabilities());
        result.put("instructions", INSTRUCTIONS);
        result.put("_meta", Map.of("io.modelcontextprotocol/serverInfo", server()));
        return answer(id, result);
    }

    private Map<String, Object> capabilities() {
        var all = new LinkedHashMap<String, Object>();
        all.put("tools", Map.of("listChanged", true));
        all.put("logging", Map.of());
        var one = offer == null ? null : offer.one();
        if (one != null) {
            all.putAll(one.sessionCapabilities());
        }
        return all;
    }

    private Map<String, Object> server() {
        var server = new LinkedHashMap<String, Object>();
        server.put("name", "perigee");
        server.put("title", "Perigee");
        server.put("version", options.version());
        return server;
    }

    private List<Action> listen(RawJson id, Listen params) {
        var filter = params.notifications();
        boolean tools = filter != null && Boolean.TRUE.equals(filter.tools());
        subscription = id;
        ready = tools;
        return List.of(
                subscribed(
                        "notifications/subscriptions/acknowledged",
                        Map.of(
                                "notifications",
                                tools ? Map.of("toolsListChanged", true) : Map.of())));
    }

    private Action subscribed(String method, Map<String, Object> more) {
        var params = new LinkedHashMap<>(more);
        var id = subscription;
        if (id != null) {
            params.put("_meta", Map.of("io.modelcontextprotocol/subscriptionId", id));
        }
        return Action.Send.note(id, Messages.notification(method, params));
    }

    private List<Action> initialize(RawJson id, Initialize params) {
        if (version != null) {
            return error(id, Messages.INVALID_REQUEST, "The session is initialized");
        }
        var asked = params.protocolVersion();
        var spoken = asked != null && VERSIONS.contains(asked) ? asked : VERSIONS.getFirst();
        version = spoken;
        abilities = ClientAbilities.of(params.capabilities());
        var result = new LinkedHashMap<String, Object>();
        result.put("protocolVersion", spoken);
        result.put("capabilities", capabilities());
        result.put("serverInfo", server());
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
        return Action.Send.reply(id, Messages.result(id, result));
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
            return waiting.removeIf(each -> each.id().equals(id))
                    ? List.of(new Action.End(id))
                    : calls.cancelled(id);
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
            actions.add(subscribed("notifications/tools/list_changed", Map.of()));
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
