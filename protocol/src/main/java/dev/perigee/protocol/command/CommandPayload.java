package dev.perigee.protocol.command;

import dev.perigee.protocol.config.ServerConfig;
import org.jspecify.annotations.Nullable;

/**
 * The payload of every kind of command; which fields are needed depends on the kind, and {@link
 * CommandAction#of} checks them. Ids are as {@link dev.perigee.protocol.json.Require#id} has them.
 * A null field is absent.
 *
 * @param event kind of a configure command, {@code mcp_installation_created} and so on
 * @param action alternative to {@code event}: {@code update_tool_status}
 * @param installationId the installation; where {@code config} is present it must be the same as
 *     there
 * @param teamId the team, likewise; that of the record's key
 * @param userId the user, likewise; null for every user's instance
 * @param config the whole configuration; needed by created, updated and redeploy
 * @param toolName the tool's name without the server's slug; needed by {@code update_tool_status}
 * @param isDisabled whether that tool is hidden and refused; needed by {@code update_tool_status}
 * @param reason of spawn, kill and restart, for logs and events
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
        @Nullable String checkType) {
    /** Of a configure command that installs this server, or changes it. */
    public static CommandPayload install(ServerConfig config) {
        return new CommandPayload(
                "mcp_installation_created",
                null,
                config.installationId(),
                config.teamId(),
                config.userId(),
                config,
                null,
                null,
                null,
                null);
    }

    /**
     * Of a command about an installation.
     *
     * @param event of a configure command, else null
     * @param userId whose instance, null for every user's
     */
    public static CommandPayload about(
            @Nullable String event,
            String installationId,
            String teamId,
            @Nullable String userId,
            @Nullable String reason) {
        return new CommandPayload(
                event, null, installationId, teamId, userId, null, null, null, reason, null);
    }
}
