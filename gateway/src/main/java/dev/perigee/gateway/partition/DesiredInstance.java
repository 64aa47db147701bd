package dev.perigee.gateway.partition;

import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.protocol.config.ServerConfig;

/**
 * An instance as it is wanted, with the token under which a worker starts it.
 *
 * @param startToken offset of the state record that first held the configuration
 */
record DesiredInstance(Installed record, long startToken) {
    /**
     * A token beyond its own record is of another topic, from which the record was restored: as
     * large as it is here, so that what is written next is newer.
     *
     * @param offset of the record
     */
    static DesiredInstance of(Installed record, long offset) {
        var token = record.startToken();
        return new DesiredInstance(record, token == null ? offset : Math.min(token, offset));
    }

    ServerConfig config() {
        return record.config();
    }

    String processId() {
        return config().processId();
    }

    /** True when the worker shall know it but not run it. */
    boolean isStopped() {
        return record.stopped() || !config().runs();
    }

    /** The same configuration, started or stopped by intent. */
    Installed withIntent(boolean stopped) {
        return new Installed(
                config(),
                stopped,
                record.origin(),
                record.commandId(),
                startToken,
                record.configuredAt());
    }

    /** The record that brings back exactly this, token included. */
    Installed again() {
        return withIntent(record.stopped());
    }
}
