package dev.perigee.protocol.command;

/** Values of {@code command_type}. */
public final class CommandType {
    public static final String CONFIGURE = "configure";
    public static final String SPAWN = "spawn";
    public static final String KILL = "kill";
    public static final String RESTART = "restart";
    public static final String HEALTH_CHECK = "health_check";

    private CommandType() {}
}
