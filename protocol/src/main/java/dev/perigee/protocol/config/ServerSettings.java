package dev.perigee.protocol.config;

import org.jspecify.annotations.Nullable;

/**
 * Switches of one installation.
 *
 * @param requestLoggingEnabled whether calls are reported on {@code request-logs}; null is true
 * @param requestLogValues whether with the values of parameters and responses rather than their
 *     shapes; null for the worker's {@code logs.request-values}
 */
public record ServerSettings(
        @Nullable Boolean requestLoggingEnabled, @Nullable Boolean requestLogValues) {
    /** Whether calls are reported; true unless switched off. */
    public boolean logsRequests() {
        return requestLoggingEnabled == null || requestLoggingEnabled;
    }
}
