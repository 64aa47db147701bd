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
        boolean offersLogging) {

    /** Reads the result of {@code initialize}, which must name the server and its version. */
    static ServerInfo read(RawJson result) throws McpException {
        Initialized initialized;
        try {
            initialized = Json.read(result, Initialized.class);
        } catch (InvalidRecordException e) {
            throw McpException.invalidAnswer(
                    "the server's answer to initialize is invalid: " + e.getMessage());
        }
        var info = initialized.serverInfo();
        if (info == null || info.name() == null || info.version() == null) {
            throw McpException.invalidAnswer(
                    "the server's answer to initialize lacks serverInfo with name and version");
        }
        var offers = initialized.capabilities();
        return new ServerInfo(
                info.name(),
                info.version(),
                initialized.protocolVersion(),
                offers != null && offers.tools() != null,
                offers != null && offers.tools() != null && announces(offers.tools()),
                offers != null && offers.resources() != null,
                offers != null && offers.prompts() != null,
                offers != null && offers.logging() != null);
    }

    private static boolean announces(RawJson tools) {
        return Json.tree(tools.bytes()).path("listChanged").asBoolean(false);
    }

    record Initialized(
            @JsonProperty("protocolVersion") @Nullable String protocolVersion,
            @JsonProperty("serverInfo") @Nullable Named serverInfo,
            @Nullable Capabilities capabilities) {}

    record Named(@Nullable String name, @Nullable String version) {}

    record Capabilities(
            @Nullable RawJson tools,
            @Nullable RawJson resources,
            @Nullable RawJson prompts,
            @Nullable RawJson logging) {}
}
