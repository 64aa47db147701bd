package dev.perigee.protocol.command;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;
import org.jspecify.annotations.Nullable;

/**
 * Validated content of a command: one record for each {@code command_type} and event of {@code
 * docs/reference/topics.md}. A user id of null means every user of the installation.
 */
public sealed interface CommandAction {

    /**
     * Install, update or redeploy: bring the instance to this configuration.
     *
     * @param change what led to the configuration
     * @param config the whole configuration, not a difference
     */
    record Configure(Change change, ServerConfig config) implements CommandAction {}

    /** Reason why a configuration is applied. */
    enum Change {
        CREATED,
        UPDATED,
        REDEPLOYED
    }

    /**
     * Remove the instance completely.
     *
     * @param installationId the installation to remove
     * @param userId whose instance, null for every user's
     */
    record Delete(String installationId, @Nullable String userId) implements CommandAction {}

    /**
     * Discover the tools of an HTTP or SSE server again; processes are skipped.
     *
     * @param installationId the installation to recover
     * @param userId whose instance, null for every user's
     */
    record Recover(String installationId, @Nullable String userId) implements CommandAction {}

    /**
     * Remove all of a user's instances in a team.
     *
     * @param teamId the team that the user left
     * @param userId the user
     */
    record RemoveMember(String teamId, String userId) implements CommandAction {}

    /**
     * Hide and refuse one tool, or restore it.
     *
     * @param installationId the installation whose tool it is
     * @param userId whose instance, null for every user's
     * @param toolName the tool's name without the server's slug
     * @param disabled true to hide and refuse it, false to restore it
     */
    record SwitchTool(
            String installationId, @Nullable String userId, String toolName, boolean disabled)
            implements CommandAction {}

    /**
     * Start by intent.
     *
     * @param installationId the installation to start
     * @param userId whose instance, null for every user's
     * @param reason for logs and events, null where the backend gives none
     */
    record Spawn(String installationId, @Nullable String userId, @Nullable String reason)
            implements CommandAction {}

    /**
     * Stop by intent: neither restarted nor respawned.
     *
     * @param installationId the installation to stop
     * @param userId whose instance, null for every user's
     * @param reason for logs and events, null where the backend gives none
     */
    record Kill(String installationId, @Nullable String userId, @Nullable String reason)
            implements CommandAction {}

    /**
     * Restart with a fresh crash budget.
     *
     * @param installationId the installation to restart
     * @param userId whose instance, null for every user's
     * @param reason for logs and events, null where the backend gives none
     */
    record Restart(String installationId, @Nullable String userId, @Nullable String reason)
            implements CommandAction {}

    /**
     * Health check of the server.
     *
     * @param installationId the installation to check
     * @param userId whose instance, null for every user's
     * @param check what to check
     */
    record CheckHealth(String installationId, @Nullable String userId, Check check)
            implements CommandAction {}

    /** Kinds of health check. */
    enum Check {
        CONNECTIVITY,
        CREDENTIAL_VALIDATION
    }

    /**
     * A command of a kind this version does not know.
     *
     * @param what the unknown command type or event, for the dead letter's detail
     */
    record Unknown(String what) implements CommandAction {}

    /**
     * Reads what a command asks for.
     *
     * @throws InvalidRecordException when a field that its kind needs is missing or wrong
     */
    static CommandAction of(Command command) {
        var payload = command.payload();
        return switch (command.commandType()) {
            case CommandType.CONFIGURE -> configure(payload);
            case CommandType.SPAWN ->
                    new Spawn(installation(payload), user(payload), payload.reason());
            case CommandType.KILL ->
                    new Kill(installation(payload), user(payload), payload.reason());
            case CommandType.RESTART ->
                    new Restart(installation(payload), user(payload), payload.reason());
            case CommandType.HEALTH_CHECK ->
                    new CheckHealth(installation(payload), user(payload), check(payload));
            default -> new Unknown("command_type " + command.commandType());
        };
    }

    private static CommandAction configure(CommandPayload payload) {
        String event = payload.event() != null ? payload.event() : payload.action();
        return switch (Require.text(event, "payload.event")) {
            case "mcp_installation_created" -> new Configure(Change.CREATED, config(payload));
            case "mcp_installation_updated" -> new Configure(Change.UPDATED, config(payload));
            case "mcp_redeploy" -> new Configure(Change.REDEPLOYED, config(payload));
            case "mcp_installation_deleted" -> new Delete(installation(payload), user(payload));
            case "mcp_recovery" -> new Recover(installation(payload), user(payload));
            case "team_member_removed" ->
                    new RemoveMember(
                            Require.id(payload.teamId(), "payload.team_id"),
                            Require.id(payload.userId(), "payload.user_id"));
            case "update_tool_status" ->
                    new SwitchTool(
                            installation(payload),
                            user(payload),
                            Require.text(payload.toolName(), "payload.tool_name"),
                            Require.present(payload.isDisabled(), "payload.is_disabled"));
            case String other -> new Unknown("configure event " + other);
        };
    }

    private static ServerConfig config(CommandPayload payload) {
        var config = Require.present(payload.config(), "payload.config");
        same(payload.installationId(), config.installationId(), "installation_id");
        same(payload.teamId(), config.teamId(), "team_id");
        same(payload.userId(), config.userId(), "user_id");
        return config;
    }

    private static void same(@Nullable String outer, String inner, String field) {
        if (outer != null && !outer.equals(inner)) {
            throw InvalidRecordException.invalid(
                    "fields payload." + field + " and payload.config." + field + " differ");
        }
    }

    private static String installation(CommandPayload payload) {
        return Require.id(payload.installationId(), "payload.installation_id");
    }

    private static @Nullable String user(CommandPayload payload) {
        return payload.userId() == null ? null : Require.id(payload.userId(), "payload.user_id");
    }

    private static Check check(CommandPayload payload) {
        return switch (Require.text(payload.checkType(), "payload.check_type")) {
            case "connectivity" -> Check.CONNECTIVITY;
            case "credential_validation" -> Check.CREDENTIAL_VALIDATION;
            case String ignored ->
                    throw InvalidRecordException.invalid(
                            "field payload.check_type must be connectivity or"
                                    + " credential_validation");
        };
    }
}
