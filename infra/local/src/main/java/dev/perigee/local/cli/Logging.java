package dev.perigee.local.cli;

import java.util.Set;

/**
 * Chooses how this JVM logs, before the first logger exists: parts as JSON, or as text when the
 * launcher saw a terminal; client commands not at all, since their output is their answer. The
 * variables PERIGEE_LOG_FORMAT and PERIGEE_LOG_LEVEL override it.
 */
final class Logging {
    private static final Set<String> PARTS = Set.of("broker", "gateway", "worker", "dev", "demo");

    private Logging() {}

    static void configure(String[] arguments) {
        var format = "text".equals(System.getenv("PERIGEE_LOG_FORMAT")) ? "text" : "json";
        System.setProperty("logback.configurationFile", "perigee-log-" + format + ".xml");
        var isPart = arguments.length > 0 && PARTS.contains(arguments[0]);
        if (!isPart && System.getenv("PERIGEE_LOG_LEVEL") == null) {
            System.setProperty("PERIGEE_LOG_LEVEL", "OFF");
        }
    }

    /** The level the user wants, or else the given one. */
    static String level(String otherwise) {
        return System.getenv().getOrDefault("PERIGEE_LOG_LEVEL", otherwise);
    }
}
