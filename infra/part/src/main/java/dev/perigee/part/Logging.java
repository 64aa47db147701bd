package dev.perigee.part;

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
        System.setProperty("PERIGEE_LOG_LEVEL", level(usual(command)));
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
