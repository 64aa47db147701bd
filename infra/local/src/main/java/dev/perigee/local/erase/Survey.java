package dev.perigee.local.erase;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.MissingTopicException;
import dev.perigee.client.TopicTail;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Reading of topics from their beginnings to what their ends were, for what holds a user. */
public final class Survey {
    /** Every topic of the contract. */
    public static final Set<Topic> ALL = EnumSet.allOf(Topic.class);

    /** Those that gateways write a tombstone to when an instance is removed, but for the state. */
    public static final Set<Topic> OF_INSTANCES =
            EnumSet.of(Topic.STATUS, Topic.TOOLS, Topic.CATALOG);

    private static final Duration POLL = Duration.ofMillis(500);

    /** Longest time without a record that is there. */
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private final KafkaConnection connection;
    private final UserMatcher user;

    public Survey(KafkaConnection connection, UserMatcher user) {
        this.connection = connection;
        this.user = user;
    }

    /**
     * Reads topics; an optional one that is not there is left out.
     *
     * @throws dev.perigee.client.BrokerUnreachableException when no broker answers
     * @throws dev.perigee.client.KafkaRefusedException when one may not be read: nothing is proved
     *     then
     */
    public List<Holding> of(Set<Topic> topics) {
        var holdings = new ArrayList<Holding>();
        for (var topic : inOrder(topics)) {
            try {
                holdings.add(read(topic));
            } catch (MissingTopicException e) {
                if (!topic.isOptional()) {
                    throw e;
                }
            }
        }
        return holdings;
    }

    /** Those last that name an instance or a command, and no user. */
    private static List<Topic> inOrder(Set<Topic> topics) {
        var last = EnumSet.of(Topic.COMMAND_RESULTS, Topic.STATE);
        var order = new ArrayList<>(topics.stream().filter(each -> !last.contains(each)).toList());
        order.addAll(topics.stream().filter(last::contains).toList());
        return order;
    }

    private Holding read(Topic topic) {
        var holding = new Holding(topic);
        try (var tail = TopicTail.open(connection, new TopicTail.Start.Beginning(), topic)) {
            long heard = System.nanoTime();
            while (!tail.hasCaughtUp()) {
                var records = tail.poll(POLL);
                records.forEach(record -> holding.take(record, user.holds(topic, record)));
                if (!records.isEmpty()) {
                    heard = System.nanoTime();
                    continue;
                }
                tail.check();
                if (System.nanoTime() - heard > SILENCE.toNanos()) {
                    throw new CliException(
                            ExitCode.UNAVAILABLE,
                            "No record of %s came for %d s: not all of it was read."
                                    .formatted(connection.name(topic), SILENCE.toSeconds()));
                }
            }
        }
        return holding;
    }
}
