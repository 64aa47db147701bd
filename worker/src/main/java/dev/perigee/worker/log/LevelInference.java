package dev.perigee.worker.log;

import java.util.List;
import java.util.Locale;

/**
 * Guesses a line's level from its words: servers write everything to stderr. Lines with error,
 * fatal, exception or failed are errors, those with warn warnings, with debug or trace debug,
 * others info.
 */
public final class LevelInference {
    public static final String ERROR = "error";
    public static final String WARN = "warn";
    public static final String INFO = "info";
    public static final String DEBUG = "debug";

    private static final List<String> ERROR_WORDS =
            List.of("error", "fatal", "exception", "failed");
    private static final List<String> DEBUG_WORDS = List.of("debug", "trace");

    private LevelInference() {}

    /** One of the four levels. */
    public static String of(String message) {
        var text = message.toLowerCase(Locale.ROOT);
        if (ERROR_WORDS.stream().anyMatch(text::contains)) {
            return ERROR;
        }
        if (text.contains(WARN)) {
            return WARN;
        }
        return DEBUG_WORDS.stream().anyMatch(text::contains) ? DEBUG : INFO;
    }
}
