package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import org.jspecify.annotations.Nullable;

/**
 * Identity of the instance that an entry is about, and of the configuration under which it was
 * made.
 *
 * @param startToken offset of the state record that holds the configuration; grows with each
 *     configuration that is applied
 */
public record InstanceIdentity(
        int partition,
        String processId,
        long startToken,
        String installationId,
        @Nullable String installationName,
        String serverSlug,
        String teamId,
        String userId) {

    /** The identity of a configuration under its start token. */
    public static InstanceIdentity of(int partition, long startToken, ServerConfig config) {
        return new InstanceIdentity(
                partition,
                config.processId(),
                startToken,
                config.installationId(),
                config.installationName(),
                config.serverSlug(),
                config.teamId(),
                config.userId());
    }
}
