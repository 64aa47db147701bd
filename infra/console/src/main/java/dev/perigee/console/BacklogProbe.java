package dev.perigee.console;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Asks how far the group is behind the ends of commands and tool-requests, which says of every
 * gateway how it fares, and how many dead letters there are. By offsets only: no record is read.
 * For one thread.
 */
final class BacklogProbe {
    private static final int ANSWER_MS = 2_000;
    private static final Duration RECENT = Duration.ofHours(1);
    private static final List<Topic> TAKEN_IN = List.of(Topic.COMMANDS, Topic.TOOL_REQUESTS);

    private final Admin admin;
    private final String group;
    private final TopicNames names;
    private final Map<TopicPartition, Held> held = new HashMap<>();

    private record Held(long offset, Instant since) {}

    /**
     * What is not done yet, and what could not be.
     *
     * @param open records of each partition that are not read, or read and not answered
     * @param heldSince since when the oldest request of these is the same, by partition
     * @param deadLetters those that came within the last hour
     */
    record Backlog(Map<Integer, Long> open, Map<Integer, Instant> heldSince, long deadLetters) {}

    BacklogProbe(Admin admin, String group, TopicNames names) {
        this.admin = admin;
        this.group = group;
        this.names = names;
    }

    /** Null when no broker answers in time, or this gateway may not ask. */
    @Nullable Backlog ask(Instant now) throws InterruptedException {
        try {
            var ends = new HashMap<TopicPartition, OffsetSpec>();
            for (var partition : partitions(TAKEN_IN)) {
                ends.put(partition, OffsetSpec.latest());
            }
            var latest = offsets(ends);
            var open = new TreeMap<Integer, Long>();
            var since = new TreeMap<Integer, Instant>();
            var committed =
                    admin.listConsumerGroupOffsets(
                                    group,
                                    new ListConsumerGroupOffsetsOptions().timeoutMs(ANSWER_MS))
                            .partitionsToOffsetAndMetadata()
                            .get();
            latest.forEach(
                    (partition, end) -> {
                        var position = committed.get(partition);
                        long done = position == null ? end : position.offset();
                        long behind = Math.max(0, end - done);
                        open.merge(partition.partition(), behind, Long::sum);
                        // On commands the ends of transactions have offsets, which nobody does.
                        boolean told = partition.topic().equals(names.of(Topic.TOOL_REQUESTS));
                        var from = told && behind > 0 ? heldSince(partition, done, now) : null;
                        if (from != null) {
                            since.merge(
                                    partition.partition(),
                                    from,
                                    (one, other) -> one.isBefore(other) ? one : other);
                        }
                    });
            return new Backlog(open, since, deadLetters(now));
        } catch (ExecutionException e) {
            return null;
        }
    }

    private Instant heldSince(TopicPartition partition, long offset, Instant now) {
        var before = held.get(partition);
        if (before == null || before.offset() != offset) {
            before = new Held(offset, now);
            held.put(partition, before);
        }
        return before.since();
    }

    private long deadLetters(Instant now) throws ExecutionException, InterruptedException {
        var partitions = partitions(List.of(Topic.DEAD_LETTERS));
        var ends = new HashMap<TopicPartition, OffsetSpec>();
        var begins = new HashMap<TopicPartition, OffsetSpec>();
        for (var partition : partitions) {
            ends.put(partition, OffsetSpec.latest());
            begins.put(partition, OffsetSpec.forTimestamp(now.minus(RECENT).toEpochMilli()));
        }
        var end = offsets(ends);
        long count = 0;
        for (var begin : offsets(begins).entrySet()) {
            // Negative where there is none that is so young.
            long first = begin.getValue();
            count += first < 0 ? 0 : Math.max(0, end.getOrDefault(begin.getKey(), first) - first);
        }
        return count;
    }

    private List<TopicPartition> partitions(List<Topic> topics)
            throws ExecutionException, InterruptedException {
        var described =
                admin.describeTopics(
                                topics.stream().map(names::of).toList(),
                                new DescribeTopicsOptions().timeoutMs(ANSWER_MS))
                        .allTopicNames()
                        .get();
        return described.values().stream()
                .flatMap(
                        topic ->
                                topic.partitions().stream()
                                        .map(
                                                it ->
                                                        new TopicPartition(
                                                                topic.name(), it.partition())))
                .toList();
    }

    private Map<TopicPartition, Long> offsets(Map<TopicPartition, OffsetSpec> specs)
            throws ExecutionException, InterruptedException {
        var found = new HashMap<TopicPartition, Long>();
        admin.listOffsets(specs, new ListOffsetsOptions().timeoutMs(ANSWER_MS))
                .all()
                .get()
                .forEach((partition, offset) -> found.put(partition, offset.offset()));
        return found;
    }
}
