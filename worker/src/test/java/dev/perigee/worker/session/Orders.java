package dev.perigee.worker.session;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Orders as a gateway would give them. */
final class Orders {
    static final String REQUESTS = "mcp.tool-requests";
    static final String COMMANDS = "mcp.commands";
    static final int PARTITION = 3;
    private static final Instant DEADLINE = Instant.parse("2026-11-20T11:00:00Z");

    private Orders() {}

    static RecordOrigin origin(long offset) {
        return new RecordOrigin(REQUESTS, PARTITION, offset);
    }

    static ToolOrder.Execute call(long offset, String requestId) {
        return call(offset, requestId, "u1");
    }

    @SuppressWarnings("NullAway") // It does not see that a nested type's component is nullable.
    static ToolOrder.Execute call(long offset, String requestId, String userId) {
        var request =
                ToolRequest.call(requestId, "t1", userId, "echo:echo", RawJson.EMPTY_OBJECT, null);
        return new ToolOrder.Execute(
                PARTITION,
                origin(offset),
                "echo-acme-alice-i1",
                request,
                DEADLINE,
                null,
                null,
                null);
    }

    static InstanceOrder.Apply apply(@Nullable Long offset, String installationId, long token) {
        return new InstanceOrder.Apply(
                PARTITION,
                offset == null ? null : new RecordOrigin(COMMANDS, PARTITION, offset),
                "cmd-" + offset,
                token,
                offset == null ? InstanceOrder.Cause.RESTORED : InstanceOrder.Cause.CREATED,
                config(installationId),
                false,
                null,
                null);
    }

    static InstanceOrder.Simple simple(long offset, String installationId, long token) {
        return new InstanceOrder.Simple(
                PARTITION,
                new RecordOrigin(COMMANDS, PARTITION, offset),
                "cmd-" + offset,
                config(installationId).processId(),
                token,
                null);
    }

    static ServerConfig config(String installationId) {
        var json =
                RawJson.of(
                        """
                        {"installation_id":"%s","server_slug":"echo","team_id":"t1",
                         "team_slug":"acme","user_id":"u1","user_slug":"alice",
                         "transport_type":"stdio","command":"echo"}
                        """
                                .formatted(installationId));
        return Json.read(json, ServerConfig.class);
    }
}
