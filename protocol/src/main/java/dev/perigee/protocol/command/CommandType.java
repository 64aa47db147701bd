package dev.perigee.protocol.command;

/** Values of {@code command_type}. */
public final class CommandType {
    /** Installs, changes or removes; {@code payload.event} says which. */
    public static final String CONFIGURE = "configure";

    /** Starts by intent. */
    public static final String SPAWN = "spawn";

    /** Stops by intent: neither restarted nor respawned until another command. */
    public static final String KILL = "kill";

    /** Restarts with a fresh restart budget. */
    public static final String RESTART = "restart";

    /** Checks connectivity or credentials; changes nothing. */
    public static final String HEALTH_CHECK = "health_check";

    private CommandType() {}
}
