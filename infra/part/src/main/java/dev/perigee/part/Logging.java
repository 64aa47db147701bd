package dev.perigee.part;

import org.slf4j.helpers.NOP_FallbackServiceProvider;

/**
 * Chooses how this JVM logs, before the first logger exists: as JSON, or as text when the launcher
 * saw a terminal. Parts log what they do, fleets only what goes wrong, client commands nothing,
 * libraries included, since their output is their answer. PERIGEE_LOG_FORMAT and PERIGEE_LOG_LEVEL
 * override it.
 */
public final class Logging {
    private Logging() {}

    public static void configure(String[] arguments) {
        var format = "text".equals(System.getenv("PERIGEE_LOG_FORMAT")) ? "text" : "json";
        System.setProperty("logback.configurationFile", "perigee-log-" + format + ".xml");
        var command = arguments.length == 0 ? "" : arguments[0];
        var level = level(usual(command));
        if (level.equals("off")) { // A command does not wait until logback has read its file.
            System.setProperty("slf4j.internal.verbosity", "WARN");
            System.setProperty("slf4j.provider", NOP_FallbackServiceProvider.class.getName());
        }
        System.setProperty("PERIGEE_LOG_LEVEL", level);
        System.setProperty(
                "PERIGEE_PART_NAME", System.getenv().getOrDefault("PERIGEE_PART_NAME", command));
    }

    /** The level the user wants, or else the given one. */
    public static String level(String otherwise) {
        return System.getenv().getOrDefault("PERIGEE_LOG_LEVEL", otherwise);
    }

    private static String usual(String command) {
        return switch (command) {
            case "broker", "gateway", "worker" -> "info";
            case "dev" -> "warn";
            default -> "off";
        };
    }
}
