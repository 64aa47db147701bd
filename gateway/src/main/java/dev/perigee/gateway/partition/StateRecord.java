package dev.perigee.gateway.partition;

import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Values of the state topic, by kind of key. Written by any version, read by any other: change by
 * addition only. The value under {@code runtime/{process_id}} is the worker's own and opaque here.
 */
sealed interface StateRecord {
    /** Key of {@link Claim}. */
    String CLAIM_KEY = "claim";

    /** Key of {@link Host}. */
    String HOST_KEY = "host";

    /** Begins the key of {@link Installed}. */
    String INSTANCE_PREFIX = "instance/";

    /** Begins the key of what a worker wants to be remembered of an instance. */
    String RUNTIME_PREFIX = "runtime/";

    /** Begins the key of {@link Remembered}. */
    String COMMAND_PREFIX = "command/";

    /** Begins the key of {@link Broadcast}. */
    String BROADCAST_PREFIX = "broadcast/";

    /** Begins the key of a {@link dev.perigee.gateway.quarantine.Suspicion}. */
    String SUSPICION_PREFIX = "suspicion/";

    /**
     * Begins the key of a {@link dev.perigee.gateway.quarantine.UserSuspicion}; then as the user's
     * records are keyed.
     */
    String SUSPECT_USER_PREFIX = "suspect-user/";

    /** Key of {@link Fleet}, in partition 0 only. */
    String FLEET_KEY = "fleet";

    /** Whether a record of this name can hold what users brought, and is encrypted. */
    static boolean isSecret(String name) {
        return name.startsWith(INSTANCE_PREFIX)
                || name.startsWith(RUNTIME_PREFIX)
                || name.startsWith(BROADCAST_PREFIX);
    }

    /** Who owns the partition: this record's offset is the epoch. */
    record Claim(String gatewayId, Instant claimedAt) implements StateRecord {}

    /**
     * What all partitions have in common.
     *
     * @param partitions how many there were when the fleet began
     * @param topicIds of the topics that come in, when they were recorded, by suffix
     */
    record Fleet(int partitions, @Nullable Map<String, String> topicIds) implements StateRecord {}

    /**
     * The worker that has the partition's processes, or had them last; no such record where they
     * are known to be nowhere.
     */
    record Host(String workerId, String incarnation) implements StateRecord {}

    /**
     * An instance as it is wanted.
     *
     * @param stopped stopped by intent
     * @param origin the configure command that brought this configuration
     * @param startToken null when this record's own offset is the token; else the token of an
     *     earlier record with the same configuration
     * @param configuredAt when that command was appended, null where an older version wrote this
     */
    record Installed(
            ServerConfig config,
            boolean stopped,
            RecordOrigin origin,
            String commandId,
            @Nullable Long startToken,
            @Nullable Instant configuredAt)
            implements StateRecord {}

    /**
     * A command that was accepted.
     *
     * @param outcome null while it runs
     */
    record Remembered(RecordOrigin origin, @Nullable CommandOutcome outcome, Instant at)
            implements StateRecord {}

    /**
     * A command for every user that was copied to all partitions and has not ended.
     *
     * @param partitions how many copies there are
     * @param reports what became of those that ended, by partition
     */
    record Broadcast(
            RecordOrigin origin,
            Command command,
            @Nullable String traceparent,
            int partitions,
            SortedMap<Integer, List<Outcome>> reports)
            implements StateRecord {

        public Broadcast {
            reports = Collections.unmodifiableSortedMap(new TreeMap<>(reports));
        }

        /** The same with one more report; a partition's first one counts. */
        Broadcast with(int partition, List<Outcome> outcomes) {
            var all = new TreeMap<>(reports);
            all.putIfAbsent(partition, outcomes);
            return new Broadcast(origin, command, traceparent, partitions, all);
        }

        /** Whether all partitions have reported. */
        boolean isComplete() {
            return reports.size() == partitions;
        }
    }
}
