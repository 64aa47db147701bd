package dev.perigee.protocol.config;

import org.jspecify.annotations.Nullable;

/**
 * Switches of one installation.
 *
 * @param requestLoggingEnabled whether calls are reported on request-logs; on unless said otherwise
 */
public record ServerSettings(@Nullable Boolean requestLoggingEnabled) {
    /** True unless switched off. */
    public boolean logsRequests() {
        return requestLoggingEnabled == null || requestLoggingEnabled;
    }
}
