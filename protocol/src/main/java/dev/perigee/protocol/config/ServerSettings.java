package dev.perigee.protocol.config;

import org.jspecify.annotations.Nullable;

/**
 * Switches of one installation.
 *
 * @param requestLoggingEnabled whether calls are reported on request-logs; on unless said otherwise
 * @param requestLogValues whether they are reported with the values of parameters and responses;
 *     null for the worker's default
 */
public record ServerSettings(
        @Nullable Boolean requestLoggingEnabled, @Nullable Boolean requestLogValues) {
    /** True unless switched off. */
    public boolean logsRequests() {
        return requestLoggingEnabled == null || requestLoggingEnabled;
    }
}
