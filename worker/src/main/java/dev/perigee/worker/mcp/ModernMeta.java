package dev.perigee.worker.mcp;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The {@code _meta} of every modern request: revision, client and its capabilities, which are those
 * of the request: whether its author may be asked, whether it may become a task, and which messages
 * are wanted of it. What else the parameters have stays as it is; these keys are the worker's,
 * whoever named them. Pure.
 */
final class ModernMeta {
    /** The revision that is spoken with modern servers. */
    static final String VERSION = "2026-07-28";

    /** The method of the request that a server is listened to by. */
    static final String LISTEN = "subscriptions/listen";

    private static final String META = "_meta";
    private static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
    private static final String ASKING = "\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{}";
    private static final String TASKS = "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}";
    private static final List<RawJson> ABILITIES =
            List.of(
                    RawJson.EMPTY_OBJECT,
                    RawJson.of("{" + ASKING + "}"),
                    RawJson.of("{" + TASKS + "}"),
                    RawJson.of("{" + ASKING + "," + TASKS + "}"));
    private static final String LOG_LEVEL = "io.modelcontextprotocol/logLevel";
    private static final String SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

    private final Map<String, RawJson> own = new LinkedHashMap<>();

    private record Client(String name, String version) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Filter(
            @JsonProperty("toolsListChanged") @Nullable Boolean toolsListChanged,
            @JsonProperty("promptsListChanged") @Nullable Boolean promptsListChanged,
            @JsonProperty("resourcesListChanged") @Nullable Boolean resourcesListChanged,
            @JsonProperty("resourceSubscriptions") @Nullable List<String> resourceSubscriptions) {
        boolean hasNothing() {
            return toolsListChanged == null
                    && promptsListChanged == null
                    && resourcesListChanged == null
                    && resourceSubscriptions == null;
        }
    }

    private record Listen(Filter notifications) {}

    ModernMeta(McpOptions options) {
        own.put("io.modelcontextprotocol/protocolVersion", Json.raw(VERSION));
        own.put(
                "io.modelcontextprotocol/clientInfo",
                Json.raw(new Client(options.clientName(), options.clientVersion())));
    }

    /** The parameters with it, of a request whose author may not be asked. */
    RawJson put(RawJson params) {
        return put(params, CallRound.ONLY);
    }

    /**
     * The parameters with it.
     *
     * @param round what the server may do of the request
     */
    RawJson put(RawJson params, CallRound round) {
        var all = JsonMembers.of(params);
        var meta = new LinkedHashMap<String, RawJson>();
        var given = all.get(META);
        if (given != null && given.bytes()[0] == '{') {
            meta.putAll(JsonMembers.of(given));
        }
        meta.putAll(own);
        meta.put(CAPABILITIES, ABILITIES.get((round.mayAsk() ? 1 : 0) + (round.tasks() ? 2 : 0)));
        var level = round.logLevel();
        if (level != null) {
            meta.put(LOG_LEVEL, Json.raw(level.wireName()));
        }
        all.put(META, Json.raw(meta));
        return Json.raw(all);
    }

    /**
     * The parameters of the request that a server is listened to by.
     *
     * @param lists the server whose lists are followed, as far as it announces changes of them;
     *     null for none
     * @param uris of the resources that are followed
     * @return null where there is nothing to listen to
     */
    static @Nullable RawJson listen(@Nullable ServerInfo lists, Collection<String> uris) {
        var filter =
                new Filter(
                        flag(lists, "tools"),
                        flag(lists, "prompts"),
                        flag(lists, "resources"),
                        uris.isEmpty() ? null : List.copyOf(uris));
        return filter.hasNothing() ? null : Json.raw(new Listen(filter));
    }

    private static @Nullable Boolean flag(@Nullable ServerInfo lists, String list) {
        return (lists != null && lists.announces(list)) ? Boolean.TRUE : null;
    }

    /** The request that an acknowledgement, or a notification, is of; null where it names none. */
    static @Nullable Long subscription(RawJson params) {
        try {
            var id = Json.tree(params.bytes()).path(META).path(SUBSCRIPTION);
            return id.canConvertToLong() ? (Long) id.asLong(0) : null;
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    /**
     * Those of the resources that the server does not notify of.
     *
     * @param acknowledged the parameters of its acknowledgement; one that names nothing takes all
     */
    static List<String> refused(Collection<String> uris, RawJson acknowledged) {
        try {
            var honoured = Json.tree(acknowledged.bytes()).path("notifications");
            if (!honoured.isObject()) {
                return List.of();
            }
            var taken = new HashSet<String>();
            honoured.path("resourceSubscriptions").forEach(uri -> taken.add(uri.asString("")));
            return uris.stream().filter(uri -> !taken.contains(uri)).toList();
        } catch (InvalidRecordException e) {
            return List.copyOf(uris);
        }
    }
}
