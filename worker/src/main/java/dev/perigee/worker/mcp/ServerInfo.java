package dev.perigee.worker.mcp;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Server's answer to the handshake.
 *
 * @param protocolVersion the revision that it chose; any is accepted
 * @param announcesTools whether it notifies its clients when its list of tools changes
 */
public record ServerInfo(
        String name,
        String version,
        @Nullable String protocolVersion,
        boolean offersTools,
        boolean announcesTools,
        boolean offersResources,
        boolean offersPrompts,
        boolean offersLogging,
        Said said) {
    /** Longest of each part of what a server says, in bytes; what is longer is not kept. */
    private static final int MAX_SAID = 64 << 10;

    /**
     * The server's own words.
     *
     * @param instructions for models, null where it gives none
     */
    public record Said(
            @Nullable RawJson serverInfo,
            @Nullable RawJson capabilities,
            @Nullable String instructions) {
        static Said of(
                @Nullable RawJson serverInfo,
                @Nullable RawJson capabilities,
                @Nullable RawJson instructions) {
            return new Said(bounded(serverInfo), bounded(capabilities), text(instructions));
        }

        private static @Nullable String text(@Nullable RawJson instructions) {
            if (instructions == null || instructions.size() > MAX_SAID) {
                return null;
            }
            var tree = Json.tree(instructions.bytes());
            return tree.isString() ? tree.stringValue() : null;
        }

        private static @Nullable RawJson bounded(@Nullable RawJson json) {
            return json == null || json.size() > MAX_SAID ? null : json;
        }
    }

    /** Reads the result of {@code initialize}, which must name the server and its version. */
    static ServerInfo read(RawJson result) throws McpException {
        try {
            return read(Json.read(result, Initialized.class));
        } catch (InvalidRecordException e) {
            throw McpException.invalidAnswer(
                    "the server's answer to initialize is invalid: " + e.getMessage());
        }
    }

    private static ServerInfo read(Initialized initialized) throws McpException {
        var info = named(initialized.serverInfo());
        if (info == null || info.name() == null || info.version() == null) {
            throw McpException.invalidAnswer(
                    "the server's answer to initialize lacks serverInfo with name and version");
        }
        return of(
                info,
                initialized.protocolVersion(),
                initialized.serverInfo(),
                initialized.capabilities(),
                initialized.instructions());
    }

    /** Reads the result of {@code server/discover}; a server need not name itself there. */
    static ServerInfo discovered(RawJson result) throws McpException {
        Discovered found;
        Named named;
        try {
            found = Json.read(result, Discovered.class);
            named = found.meta() == null ? null : named(found.meta().serverInfo());
        } catch (InvalidRecordException e) {
            throw McpException.invalidAnswer(
                    "the server's answer to server/discover is invalid: " + e.getMessage());
        }
        var versions = found.supportedVersions();
        if (versions == null || !versions.contains(ModernMeta.VERSION)) {
            throw McpException.invalidAnswer(
                    "the server does not speak MCP " + ModernMeta.VERSION + ", but " + versions);
        }
        var info = found.meta() == null ? null : found.meta().serverInfo();
        return of(
                named == null ? new Named(null, null) : named,
                ModernMeta.VERSION,
                info,
                found.capabilities(),
                found.instructions());
    }

    private static ServerInfo of(
            Named named,
            @Nullable String version,
            @Nullable RawJson serverInfo,
            @Nullable RawJson capabilities,
            @Nullable RawJson instructions) {
        var offers = offers(capabilities);
        return new ServerInfo(
                named.name() == null ? "unnamed" : named.name(),
                named.version() == null ? "unknown" : named.version(),
                version,
                offers != null && offers.tools() != null,
                offers != null && offers.tools() != null && announces(offers.tools()),
                offers != null && offers.resources() != null,
                offers != null && offers.prompts() != null,
                offers != null && offers.logging() != null,
                Said.of(serverInfo, capabilities, instructions));
    }

    /**
     * Whether it notifies its clients when one of its lists changes.
     *
     * @param list {@code tools}, {@code prompts} or {@code resources}
     */
    boolean announces(String list) {
        var offered = said.capabilities();
        return list.equals("tools")
                ? announcesTools
                : offered != null
                        && Json.tree(offered.bytes())
                                .path(list)
                                .path("listChanged")
                                .asBoolean(false);
    }

    /**
     * Whether it makes tasks of calls of its tools that ask for it; of the legacy era. Parses its
     * capabilities.
     */
    public boolean offersTasks() {
        var offered = said.capabilities();
        return offered != null
                && Json.tree(offered.bytes())
                        .path("tasks")
                        .path("requests")
                        .path("tools")
                        .has("call");
    }

    private static @Nullable Named named(@Nullable RawJson serverInfo) {
        return serverInfo == null ? null : Json.read(serverInfo, Named.class);
    }

    private static @Nullable Capabilities offers(@Nullable RawJson capabilities) {
        return capabilities == null ? null : Json.read(capabilities, Capabilities.class);
    }

    private static boolean announces(RawJson tools) {
        return Json.tree(tools.bytes()).path("listChanged").asBoolean(false);
    }

    record Initialized(
            @JsonProperty("protocolVersion") @Nullable String protocolVersion,
            @JsonProperty("serverInfo") @Nullable RawJson serverInfo,
            @Nullable RawJson capabilities,
            @Nullable RawJson instructions) {}

    record Discovered(
            @JsonProperty("supportedVersions") @Nullable List<String> supportedVersions,
            @Nullable RawJson capabilities,
            @Nullable RawJson instructions,
            @JsonProperty("_meta") @Nullable Meta meta) {}

    record Meta(@JsonProperty("io.modelcontextprotocol/serverInfo") @Nullable RawJson serverInfo) {}

    record Named(@Nullable String name, @Nullable String version) {}

    record Capabilities(
            @Nullable RawJson tools,
            @Nullable RawJson resources,
            @Nullable RawJson prompts,
            @Nullable RawJson logging) {}
}
