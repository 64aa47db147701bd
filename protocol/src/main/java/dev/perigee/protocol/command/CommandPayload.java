package dev.perigee.protocol.command;

import dev.perigee.protocol.config.ServerConfig;
import org.jspecify.annotations.Nullable;

/**
 * The payload of every kind of command; which fields are needed depends on the kind, and {@link
 * CommandAction#of} checks them.
 *
 * @param event kind of a configure command, {@code mcp_installation_created} and so on
 * @param action alternative to {@code event}: {@code update_tool_status}
 * @param checkType of a health check: {@code connectivity} or {@code credential_validation}
 */
public record CommandPayload(
        @Nullable String event,
        @Nullable String action,
        @Nullable String installationId,
        @Nullable String teamId,
        @Nullable String userId,
        @Nullable ServerConfig config,
        @Nullable String toolName,
        @Nullable Boolean isDisabled,
        @Nullable String reason,
        @Nullable String checkType) {}
