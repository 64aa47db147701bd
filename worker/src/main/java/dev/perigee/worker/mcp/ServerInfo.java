package dev.perigee.worker.mcp;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
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
        var offers = offers(initialized.capabilities());
        return new ServerInfo(
                info.name(),
                info.version(),
                initialized.protocolVersion(),
                offers != null && offers.tools() != null,
                offers != null && offers.tools() != null && announces(offers.tools()),
                offers != null && offers.resources() != null,
                offers != null && offers.prompts() != null,
                Said.of(
                        initialized.serverInfo(),
                        initialized.capabilities(),
                        initialized.instructions()));
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

    record Named(@Nullable String name, @Nullable String version) {}

    record Capabilities(
            @Nullable RawJson tools, @Nullable RawJson resources, @Nullable RawJson prompts) {}
}
