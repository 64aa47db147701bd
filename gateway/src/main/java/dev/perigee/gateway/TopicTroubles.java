package dev.perigee.gateway;

import dev.perigee.protocol.topic.Topic;
import java.util.EnumSet;
import java.util.Set;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Explanations of why a gateway cannot use a topic, and what to do, for people. Pure. */
final class TopicTroubles {
    private TopicTroubles() {}

    /**
     * Of a topic as it was described.
     *
     * @param leastReplicas without so many in sync, or all there are, nothing is taken
     * @return null where nothing is wrong
     */
    static @Nullable String of(Topic topic, TopicDescription found, int leastReplicas) {
        var rights = found.authorizedOperations();
        if (rights != null && !rights.isEmpty() && !rights.containsAll(needed(topic))) {
            return text(found.name(), "there is no right to " + words(topic), "see perigee acls");
        }
        for (var partition : found.partitions()) {
            var leader = partition.leader();
            if (leader == null || leader.isEmpty()) {
                return text(
                        found.name(),
                        "partition %d has no leader".formatted(partition.partition()),
                        "look at the brokers' disks and logs");
            }
            int replicas = partition.replicas().size();
            if (partition.isr().size() < Math.min(leastReplicas, replicas)) {
                return text(
                        found.name(),
                        "partition %d has %d of %d replicas in sync"
                                .formatted(partition.partition(), partition.isr().size(), replicas),
                        "look at the brokers' disks and logs");
            }
        }
        return null;
    }

    /** Of a topic that was not described; null where that has other reasons than the topic. */
    static @Nullable String of(String name, @Nullable Throwable failure) {
        return switch (failure) {
            case UnknownTopicOrPartitionException _ ->
                    text(name, "it does not exist", "create it: perigee topics");
            case TopicAuthorizationException _ ->
                    text(name, "there is no right to see it", "see perigee acls");
            case null, default -> null;
        };
    }

    private static Set<AclOperation> needed(Topic topic) {
        return switch (topic) {
            case TOOL_REQUESTS -> EnumSet.of(AclOperation.READ);
            case COMMANDS, STATE -> EnumSet.of(AclOperation.READ, AclOperation.WRITE);
            case TOOL_RESULTS,
                    COMMAND_RESULTS,
                    STATUS,
                    LIFECYCLE,
                    LOGS,
                    REQUEST_LOGS,
                    CALL_EVENTS,
                    SERVER_EVENTS,
                    TOOLS,
                    CATALOG,
                    USAGE,
                    HEARTBEATS,
                    DEAD_LETTERS,
                    AUDIT ->
                    EnumSet.of(AclOperation.WRITE);
        };
    }

    private static String words(Topic topic) {
        return switch (topic) {
            case TOOL_REQUESTS -> "read it";
            case COMMANDS, STATE -> "read and write it";
            default -> "write it";
        };
    }

    private static String text(String name, String what, String advice) {
        return "The topic %s cannot be used: %s; %s".formatted(name, what, advice);
    }
}
