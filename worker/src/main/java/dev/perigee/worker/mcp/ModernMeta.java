package dev.perigee.worker.mcp;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The {@code _meta} of every modern request: revision, client and its capabilities. What else the
 * parameters have stays as it is; these keys are the worker's, whoever named them. Pure.
 */
final class ModernMeta {
    /** The revision that is spoken with modern servers. */
    static final String VERSION = "2026-07-28";

    private static final String META = "_meta";

    private final Map<String, RawJson> own = new LinkedHashMap<>();

    private record Client(String name, String version) {}

    private record Filter(@JsonProperty("toolsListChanged") boolean toolsListChanged) {}

    private record Listen(Filter notifications) {}

    ModernMeta(McpOptions options) {
        own.put("io.modelcontextprotocol/protocolVersion", Json.raw(VERSION));
        own.put(
                "io.modelcontextprotocol/clientInfo",
                Json.raw(new Client(options.clientName(), options.clientVersion())));
        own.put("io.modelcontextprotocol/clientCapabilities", RawJson.EMPTY_OBJECT);
    }

    /** The parameters with it. */
    RawJson put(RawJson params) {
        var all = JsonMembers.of(params);
        var meta = new LinkedHashMap<String, RawJson>();
        var given = all.get(META);
        if (given != null && given.bytes()[0] == '{') {
            meta.putAll(JsonMembers.of(given));
        }
        meta.putAll(own);
        all.put(META, Json.raw(meta));
        return Json.raw(all);
    }

    /** The parameters of the request that a server's list of tools is followed by. */
    static RawJson listen() {
        return Json.raw(new Listen(new Filter(true)));
    }
}
