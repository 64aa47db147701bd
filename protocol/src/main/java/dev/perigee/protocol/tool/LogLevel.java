package dev.perigee.protocol.tool;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Severities of a server's messages, the least first. */
public enum LogLevel {
    DEBUG,
    INFO,
    NOTICE,
    WARNING,
    ERROR,
    CRITICAL,
    ALERT,
    EMERGENCY;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    /** As in the field {@code log_level}, and as servers write it. */
    public String wireName() {
        return wireName;
    }

    /** The level of this name, or null when there is none. */
    public static @Nullable LogLevel of(String wireName) {
        for (var level : values()) {
            if (level.wireName.equals(wireName)) {
                return level;
            }
        }
        return null;
    }
}
