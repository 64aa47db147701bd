package dev.perigee.protocol.audit;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Action of a person on a fleet. Most are one command; the others have none. */
public enum AuditAction {
    /** Restarts an instance with a fresh crash budget. */
    @JsonProperty("restart")
    RESTART(ActionRole.OPERATE, CommandType.RESTART, null),
    /** Has a server over HTTP discovered again. */
    @JsonProperty("recover")
    RECOVER(ActionRole.OPERATE, CommandType.CONFIGURE, "mcp_recovery"),
    /** Stops an instance until somebody starts it: its calls are answered {@code stopped}. */
    @JsonProperty("block")
    BLOCK(ActionRole.OPERATE, CommandType.KILL, null),
    /** Starts an instance that was blocked. */
    @JsonProperty("unblock")
    UNBLOCK(ActionRole.OPERATE, CommandType.SPAWN, null),
    /** Hides one tool of an instance, and has its calls refused. */
    @JsonProperty("disable_tool")
    DISABLE_TOOL(ActionRole.OPERATE, CommandType.CONFIGURE, "update_tool_status"),
    /** Takes that back. */
    @JsonProperty("enable_tool")
    ENABLE_TOOL(ActionRole.OPERATE, CommandType.CONFIGURE, "update_tool_status"),
    /** Removes an instance completely. */
    @JsonProperty("delete")
    DELETE(ActionRole.ADMIN, CommandType.CONFIGURE, "mcp_installation_deleted"),
    /** Lets every partition leave a worker. */
    @JsonProperty("drain")
    DRAIN(ActionRole.ADMIN, null, null),
    /** Lets a drained worker take partitions again. */
    @JsonProperty("undo_drain")
    UNDO_DRAIN(ActionRole.ADMIN, null, null),
    /** Puts dead letters back where they came from. */
    @JsonProperty("redrive")
    REDRIVE(ActionRole.OPERATE, null, null);

    private final ActionRole needed;
    private final @Nullable String commandType;
    private final @Nullable String event;

    AuditAction(ActionRole needed, @Nullable String commandType, @Nullable String event) {
        this.needed = needed;
        this.commandType = commandType;
        this.event = event;
    }

    /** The least role that may do it in the console. */
    public ActionRole needed() {
        return needed;
    }

    /** As records have it. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The action of this name, null where there is none. */
    public static @Nullable AuditAction of(@Nullable String name) {
        for (var action : values()) {
            if (action.wireName().equals(name)) {
                return action;
            }
        }
        return null;
    }

    /** The {@code command_type} of its command, null where it is no command. */
    public @Nullable String commandType() {
        return commandType;
    }

    /** Whether a server that came online is what it is for. */
    public boolean starts() {
        return this == RESTART || this == UNBLOCK;
    }

    /** Whether it is about one tool. */
    public boolean needsTool() {
        return this == DISABLE_TOOL || this == ENABLE_TOOL;
    }

    /**
     * The payload of its command.
     *
     * @param user whose instance, null for every user's
     * @param tool the tool's name without the server's slug, null where it is about none
     * @param reason for the instance's events, null for none
     */
    public CommandPayload payload(
            String installation,
            String team,
            @Nullable String user,
            @Nullable String tool,
            @Nullable String reason) {
        return needsTool()
                ? new CommandPayload(
                        null,
                        event,
                        installation,
                        team,
                        user,
                        null,
                        tool,
                        this == DISABLE_TOOL,
                        null,
                        null)
                : CommandPayload.about(event, installation, team, user, reason);
    }
}
