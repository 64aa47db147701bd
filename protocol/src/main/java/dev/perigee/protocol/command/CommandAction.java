package dev.perigee.protocol.command;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;
import org.jspecify.annotations.Nullable;

/**
 * What a command asks for, checked. A user id of null means every user of the installation.
 *
 * <p>Source: design/contract.md, "Commands".
 */
public sealed interface CommandAction {

    /** Install, update or redeploy: bring the instance to this configuration. */
    record Configure(Change change, ServerConfig config) implements CommandAction {}

    /** Why a configuration is applied. */
    enum Change {
        CREATED,
        UPDATED,
        REDEPLOYED
    }

    /** Remove the instance completely. */
    record Delete(String installationId, @Nullable String userId) implements CommandAction {}

    /** Discover the tools of an HTTP or SSE server again; processes are skipped. */
    record Recover(String installationId, @Nullable String userId) implements CommandAction {}

    /** Remove all of a user's instances in a team. */
    record RemoveMember(String teamId, String userId) implements CommandAction {}

    /** Hide and refuse one tool, or restore it. */
    record SwitchTool(
            String installationId, @Nullable String userId, String toolName, boolean disabled)
            implements CommandAction {}

    /** Start by intent. */
    record Spawn(String installationId, @Nullable String userId, @Nullable String reason)
            implements CommandAction {}

    /** Stop by intent: neither restarted nor respawned. */
    record Kill(String installationId, @Nullable String userId, @Nullable String reason)
            implements CommandAction {}

    /** Restart with a fresh crash budget. */
    record Restart(String installationId, @Nullable String userId, @Nullable String reason)
            implements CommandAction {}

    /** Ask the server whether it is well. */
    record CheckHealth(String installationId, @Nullable String userId, Check check)
            implements CommandAction {}

    /** Kinds of health check. */
    enum Check {
        CONNECTIVITY,
        CREDENTIAL_VALIDATION
    }

    /** A command of a kind this version does not know. */
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
