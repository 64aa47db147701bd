package dev.perigee.local.connect;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.LogLevel;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Request of revision 2026-07-28 over HTTP, which says revision and capabilities by itself, and
 * repeats in headers what those on the way go by. Immutable.
 *
 * @param name the tool, prompt or URI; null of methods without one
 * @param logLevel the least of messages; null for none
 * @param progressToken null where progress is not followed
 */
record ModernMessage(
        RawJson id,
        String method,
        RawJson params,
        @Nullable String name,
        ClientAbilities abilities,
        @Nullable LogLevel logLevel,
        @Nullable RawJson progressToken) {
    static final String VERSION = "2026-07-28";
    static final String VERSION_HEADER = "MCP-Protocol-Version";
    static final String METHOD_HEADER = "Mcp-Method";
    static final String NAME_HEADER = "Mcp-Name";

    private static final int BAD_REQUEST = 400;
    private static final Set<String> BY_NAME = Set.of("tools/call", "prompts/get");
    private static final String BY_URI = "resources/read";
    private static final String BEGIN = "=?base64?";
    private static final String END = "?=";

    private record Params(
            @Nullable String name,
            @Nullable String uri,
            @JsonProperty("_meta") @Nullable RawJson meta) {}

    private record Meta(
            @JsonProperty("progressToken") @Nullable RawJson progressToken,
            @JsonProperty("io.modelcontextprotocol/protocolVersion") @Nullable String version,
            @JsonProperty("io.modelcontextprotocol/clientCapabilities")
                    @Nullable RawJson capabilities,
            @JsonProperty("io.modelcontextprotocol/logLevel") @Nullable String logLevel) {}

    /** Whether a message says of itself that it is of such a revision. */
    static boolean says(JsonRpc message) {
        var params = message.params();
        if (params == null) {
            return false;
        }
        try {
            var meta = Json.read(params, Params.class).meta();
            return meta != null && Json.read(meta, Meta.class).version() != null;
        } catch (InvalidRecordException e) {
            return false;
        }
    }

    /**
     * Takes one as the specification has it.
     *
     * @param headers values by name, null where there is none
     * @throws DoorRefusedException with the specification's error where it is not right
     */
    static ModernMessage of(JsonRpc message, RequestHeaders headers) {
        var id = message.id();
        var method = message.method();
        if (id == null || method == null || !Messages.isId(id)) {
            throw new DoorRefusedException(
                    BAD_REQUEST,
                    null,
                    Messages.INVALID_REQUEST,
                    "A request has an id, a short string or a number, and a method");
        }
        try {
            return of(id, method, message.params(), headers);
        } catch (InvalidRecordException e) {
            throw invalid(id, "The params are not right: " + e.getMessage());
        }
    }

    private static ModernMessage of(
            RawJson id, String method, @Nullable RawJson json, RequestHeaders headers) {
        var params = json == null ? RawJson.EMPTY_OBJECT : json;
        var read = Json.read(params, Params.class);
        var said = read.meta();
        var meta = said == null ? null : Json.read(said, Meta.class);
        var version = meta == null ? null : meta.version();
        if (meta == null || version == null) {
            throw invalid(id, "_meta has no io.modelcontextprotocol/protocolVersion");
        }
        if (!JsonObjects.isObject(meta.capabilities())) {
            throw invalid(id, "_meta has no io.modelcontextprotocol/clientCapabilities");
        }
        require(id, VERSION_HEADER, version, headers.value(VERSION_HEADER));
        if (!version.equals(VERSION)) {
            throw unsupported(id, version);
        }
        require(id, METHOD_HEADER, method, headers.value(METHOD_HEADER));
        String name = null;
        if (BY_NAME.contains(method)) {
            name = read.name();
        } else if (method.equals(BY_URI)) {
            name = read.uri();
        }
        if (name != null) {
            require(id, NAME_HEADER, name, decoded(headers.value(NAME_HEADER)));
        }
        var asked = meta.logLevel();
        var level = asked == null ? null : LogLevel.of(asked);
        if (asked != null && level == null) {
            throw invalid(id, "logLevel is none of MCP's");
        }
        return new ModernMessage(
                id,
                method,
                params,
                name,
                ClientAbilities.of(meta.capabilities()),
                level,
                progressToken(id, meta));
    }

    private static @Nullable RawJson progressToken(RawJson id, Meta meta) {
        var token = meta.progressToken();
        if (token != null && !Messages.isId(token)) {
            throw invalid(id, "progressToken is neither a short string nor a number");
        }
        return token;
    }

    private static DoorRefusedException invalid(RawJson id, String message) {
        return new DoorRefusedException(BAD_REQUEST, id, Messages.INVALID_PARAMS, message);
    }

    /** The refusal of a revision that is not spoken here. */
    static DoorRefusedException unsupported(@Nullable RawJson id, String version) {
        return new DoorRefusedException(
                BAD_REQUEST,
                id,
                Messages.UNSUPPORTED_VERSION,
                "Unsupported protocol version",
                Map.of(
                        "supported",
                        List.of(VERSION),
                        "requested",
                        JsonObjects.wellFormed(version)));
    }

    private static void require(
            RawJson id, String header, String expected, @Nullable String value) {
        if (!expected.equals(value)) {
            throw mismatch(id, header);
        }
    }

    /** The refusal of a header that does not say what the body says. */
    static DoorRefusedException mismatch(RawJson id, String header) {
        return new DoorRefusedException(
                BAD_REQUEST,
                id,
                Messages.HEADER_MISMATCH,
                "Header mismatch: " + header + " is not what the body has");
    }

    /** The text of a header that repeats a value; null where it is none. */
    static @Nullable String decoded(@Nullable String value) {
        if (value == null || !value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c <= '~'))) {
            return null;
        }
        if (!value.startsWith(BEGIN)
                || !value.endsWith(END)
                || value.length() < BEGIN.length() + END.length()) {
            return value;
        }
        var encoded = value.substring(BEGIN.length(), value.length() - END.length());
        try {
            var bytes = Base64.getDecoder().decode(encoded);
            // Java takes what has no padding.
            return Base64.getEncoder().encodeToString(bytes).equals(encoded)
                    ? new String(bytes, StandardCharsets.UTF_8)
                    : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
