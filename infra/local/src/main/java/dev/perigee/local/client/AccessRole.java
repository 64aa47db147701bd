package dev.perigee.local.client;

import static org.apache.kafka.common.acl.AclOperation.CREATE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;

import dev.perigee.local.client.AccessRight.Scope;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.kafka.common.acl.AclOperation;

/**
 * Clients of Kafka, with the least rights that each needs. Workers are none: they have no
 * credentials of Kafka's.
 */
public enum AccessRole {
    /** Every gateway of a fleet. */
    GATEWAY {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            var rights = new ArrayList<AccessRight>();
            rights.addAll(topics(names, READ, TAKEN_IN));
            // To restore, to see who has which process id, and whether a transaction hangs there.
            rights.addAll(topics(names, READ, KEPT));
            rights.addAll(topics(names, READ, EnumSet.of(Topic.COMMAND_RESULTS)));
            rights.addAll(
                    topics(names, WRITE, EnumSet.complementOf(EnumSet.of(Topic.TOOL_REQUESTS))));
            rights.addAll(topics(names, DESCRIBE_CONFIGS, EnumSet.allOf(Topic.class)));
            rights.addAll(replies(WRITE, replies));
            rights.add(new AccessRight(Scope.GROUP, group, READ));
            rights.add(new AccessRight(Scope.TRANSACTIONAL_IDS, group + "-", WRITE));
            // To compare clocks.
            rights.add(new AccessRight(Scope.CLUSTER, AccessRight.CLUSTER, DESCRIBE));
            return rights;
        }

        @Override
        public String usualGroup(TopicNames names) {
            return names.prefix() + "gateway";
        }
    },
    /** A program that installs servers and calls tools, and reads what becomes of it. */
    BACKEND {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            var rights = new ArrayList<AccessRight>();
            rights.addAll(topics(names, WRITE, TAKEN_IN));
            rights.addAll(topics(names, READ, FOR_BACKENDS));
            rights.addAll(replies(READ, replies));
            rights.add(new AccessRight(Scope.GROUPS, group, READ));
            return rights;
        }

        @Override
        public String usualGroup(TopicNames names) {
            return names.prefix() + "backend";
        }
    },
    /** {@code perigee door} and {@code perigee connect}, which install nothing. */
    DOOR {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            var rights = new ArrayList<AccessRight>();
            rights.addAll(topics(names, WRITE, EnumSet.of(Topic.TOOL_REQUESTS)));
            // To see that it is a fleet's.
            rights.addAll(topics(names, DESCRIBE, EnumSet.of(Topic.COMMANDS)));
            rights.addAll(topics(names, READ, OFFERED));
            return rights;
        }
    },
    /** Whoever uses the command line for anything but creating topics and rights. */
    OPERATOR {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            var rights = new ArrayList<AccessRight>();
            rights.addAll(topics(names, WRITE, TAKEN_IN));
            rights.addAll(topics(names, READ, FOR_BACKENDS));
            rights.addAll(
                    topics(
                            names,
                            READ,
                            EnumSet.of(
                                    Topic.TOOL_REQUESTS,
                                    Topic.HEARTBEATS,
                                    Topic.DEAD_LETTERS,
                                    Topic.AUDIT)));
            rights.addAll(topics(names, WRITE, EnumSet.of(Topic.DEAD_LETTERS, Topic.AUDIT)));
            rights.add(new AccessRight(Scope.TRANSACTIONAL_IDS, names.prefix() + "redrive", WRITE));
            return rights;
        }
    },
    /** Whoever runs {@code perigee topics}. */
    TOPICS {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            return List.of(
                    new AccessRight(Scope.TOPICS, names.prefix(), CREATE),
                    new AccessRight(Scope.TOPICS, names.prefix(), DESCRIBE),
                    new AccessRight(Scope.TOPICS, names.prefix(), DESCRIBE_CONFIGS));
        }
    },
    /** Whoever runs {@code perigee erase}. */
    ERASER {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            var rights = new ArrayList<AccessRight>();
            rights.addAll(topics(names, READ, EnumSet.allOf(Topic.class)));
            rights.addAll(topics(names, DESCRIBE_CONFIGS, EnumSet.allOf(Topic.class)));
            rights.addAll(topics(names, WRITE, BURIED_IN));
            return rights;
        }
    },
    /** Whoever runs {@code perigee backup}. */
    BACKUP {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            return topics(names, READ, KEPT);
        }
    },
    /** Whoever runs {@code perigee restore}. */
    RESTORE {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            var rights = new ArrayList<AccessRight>();
            rights.addAll(topics(names, READ, KEPT));
            rights.addAll(topics(names, WRITE, KEPT));
            rights.addAll(topics(names, DESCRIBE, TAKEN_IN));
            // To see that no gateway runs.
            rights.add(new AccessRight(Scope.GROUP, group, DESCRIBE));
            rights.add(new AccessRight(Scope.TRANSACTIONAL_IDS, "perigee-restore-", WRITE));
            return rights;
        }

        @Override
        public String usualGroup(TopicNames names) {
            return names.prefix() + "gateway";
        }
    },
    /** What a gateway needs besides for its console. */
    CONSOLE {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            return topics(names, READ, SHOWN);
        }
    },
    /** What it needs besides these to put dead letters back. */
    CONSOLE_REDRIVE {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            var rights = new ArrayList<AccessRight>();
            rights.addAll(topics(names, WRITE, EnumSet.of(Topic.TOOL_REQUESTS)));
            rights.add(new AccessRight(Scope.TRANSACTIONAL_IDS, names.prefix() + "redrive", WRITE));
            return rights;
        }
    },
    /** {@code perigee replay} where it reads. */
    REPLAY_SOURCE {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            var rights = new ArrayList<AccessRight>();
            rights.addAll(topics(names, READ, TAKEN_IN));
            rights.addAll(topics(names, READ, OUTCOMES));
            return rights;
        }
    },
    /** {@code perigee replay} where it writes, and notes how far it came. */
    REPLAY_TARGET {
        @Override
        public List<AccessRight> rights(TopicNames names, String group, List<String> replies) {
            var rights = new ArrayList<AccessRight>();
            rights.addAll(topics(names, WRITE, TAKEN_IN));
            rights.addAll(topics(names, READ, TAKEN_IN));
            rights.addAll(topics(names, READ, OUTCOMES));
            for (var operation : List.of(CREATE, READ, WRITE)) {
                rights.add(new AccessRight(Scope.TOPIC, names.prefix() + "replays", operation));
            }
            rights.add(new AccessRight(Scope.TRANSACTIONAL_IDS, "perigee-replay-", WRITE));
            return rights;
        }
    };

    private static final Set<Topic> TAKEN_IN = EnumSet.of(Topic.COMMANDS, Topic.TOOL_REQUESTS);
    private static final Set<Topic> BURIED_IN =
            EnumSet.of(Topic.COMMANDS, Topic.STATUS, Topic.TOOLS, Topic.CATALOG);
    private static final Set<Topic> KEPT =
            EnumSet.of(Topic.STATUS, Topic.TOOLS, Topic.CATALOG, Topic.STATE);
    private static final Set<Topic> OUTCOMES =
            EnumSet.of(
                    Topic.TOOL_RESULTS,
                    Topic.COMMAND_RESULTS,
                    Topic.STATUS,
                    Topic.TOOLS,
                    Topic.HEARTBEATS);
    private static final Set<Topic> SHOWN =
            EnumSet.of(
                    Topic.STATUS,
                    Topic.LIFECYCLE,
                    Topic.LOGS,
                    Topic.REQUEST_LOGS,
                    Topic.HEARTBEATS,
                    Topic.TOOL_REQUESTS,
                    Topic.TOOL_RESULTS,
                    Topic.COMMAND_RESULTS,
                    Topic.DEAD_LETTERS);
    private static final Set<Topic> OFFERED =
            EnumSet.of(
                    Topic.TOOL_RESULTS,
                    Topic.COMMAND_RESULTS,
                    Topic.LIFECYCLE,
                    Topic.CALL_EVENTS,
                    Topic.TOOLS,
                    Topic.CATALOG);
    private static final Set<Topic> FOR_BACKENDS =
            EnumSet.of(
                    Topic.TOOL_RESULTS,
                    Topic.COMMAND_RESULTS,
                    Topic.STATUS,
                    Topic.LIFECYCLE,
                    Topic.LOGS,
                    Topic.REQUEST_LOGS,
                    Topic.CALL_EVENTS,
                    Topic.SERVER_EVENTS,
                    Topic.TOOLS,
                    Topic.CATALOG,
                    Topic.USAGE);

    /**
     * What it needs. A right to read or write includes the right to describe.
     *
     * @param group the gateways' group, or what those of a backend begin with; others use none
     * @param replies topics of a backend's own for replies; one that ends with {@code *} stands for
     *     all that begin so
     */
    public abstract List<AccessRight> rights(TopicNames names, String group, List<String> replies);

    /** The group where no other is configured, empty where there is none. */
    public String usualGroup(TopicNames names) {
        return "";
    }

    /** As users write it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<AccessRight> topics(
            TopicNames names, AclOperation operation, Set<Topic> topics) {
        return Arrays.stream(Topic.values())
                .filter(topics::contains)
                .map(topic -> new AccessRight(Scope.TOPIC, names.of(topic), operation))
                .toList();
    }

    private static List<AccessRight> replies(AclOperation operation, List<String> replies) {
        return replies.stream()
                .map(
                        name ->
                                name.endsWith("*")
                                        ? new AccessRight(
                                                Scope.TOPICS,
                                                name.substring(0, name.length() - 1),
                                                operation)
                                        : new AccessRight(Scope.TOPIC, name, operation))
                .toList();
    }
}
