package dev.perigee.worker.tool;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Status of a server's task, as both eras of MCP have it. */
public enum TaskStatus {
    WORKING,
    INPUT_REQUIRED,
    COMPLETED,
    FAILED,
    CANCELLED;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    /** As in the field {@code status}. */
    public String wireName() {
        return wireName;
    }

    /** Whether the server does nothing more for it. */
    public boolean isTerminal() {
        return switch (this) {
            case WORKING, INPUT_REQUIRED -> false;
            case COMPLETED, FAILED, CANCELLED -> true;
        };
    }

    /** The status of this name, or null when there is none. */
    static @Nullable TaskStatus of(@Nullable String wireName) {
        for (var status : values()) {
            if (status.wireName.equals(wireName)) {
                return status;
            }
        }
        return null;
    }
}
