package dev.perigee.local.replay;

import dev.perigee.protocol.topic.Topic;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Finds the part of the source's topics that a selection means. */
final class SelectedOffsets {
    private final Cluster source;
    private final Selection selection;

    SelectedOffsets(Cluster source, Selection selection) {
        this.source = source;
        this.selection = selection;
    }

    /** Where to begin, and behind which offset to end. */
    record Range(Map<String, Long> from, Map<String, Long> to, @Nullable Instant lastAt) {}

    /** The partitions in question, those of commands first. */
    static List<TopicPartition> partitions(Cluster source, Selection selection) {
        var partitions = new ArrayList<TopicPartition>();
        for (var topic : List.of(Topic.COMMANDS, Topic.TOOL_REQUESTS)) {
            if (topic == Topic.COMMANDS || selection.requests() != IncludedRequests.NONE) {
                for (int partition = 0; partition < source.partitions(); partition++) {
                    if (selection.hasPartition(partition)) {
                        partitions.add(new TopicPartition(source.topic(topic), partition));
                    }
                }
            }
        }
        return partitions;
    }

    Range find() throws InterruptedException {
        for (int partition : selection.partitions()) {
            if (partition >= source.partitions()) {
                throw ReplayException.usage(
                        "--partitions "
                                + partition
                                + ": the source has partitions 0 to "
                                + (source.partitions() - 1));
            }
        }
        var partitions = partitions(source, selection);
        try (var consumer = source.consumer(Map.of())) {
            var ends = consumer.endOffsets(partitions);
            var from = new HashMap<String, Long>();
            var to = new HashMap<String, Long>();
            var begins = consumer.beginningOffsets(partitions);
            var since = at(consumer, selection.since(), ends);
            var until = at(consumer, selection.until(), ends);
            ends.forEach(
                    (partition, end) -> {
                        var first = selection.since() == null ? begins : since;
                        var last = selection.until() == null ? ends : until;
                        from.put(partition.toString(), first.getOrDefault(partition, 0L));
                        to.put(partition.toString(), last.getOrDefault(partition, end));
                    });
            return new Range(from, to, lastAt(partitions));
        } catch (KafkaException e) {
            throw source.explained(e);
        }
    }

    private static Map<TopicPartition, Long> at(
            KafkaConsumer<?, ?> consumer, @Nullable Instant time, Map<TopicPartition, Long> ends) {
        if (time == null) {
            return Map.of();
        }
        var times = new HashMap<TopicPartition, Long>();
        ends.keySet().forEach(partition -> times.put(partition, time.toEpochMilli()));
        var offsets = new HashMap<>(ends);
        consumer.offsetsForTimes(times)
                .forEach(
                        (partition, found) -> {
                            if (found != null) {
                                offsets.merge(partition, found.offset(), Math::min);
                            }
                        });
        return offsets;
    }

    private @Nullable Instant lastAt(List<TopicPartition> partitions) throws InterruptedException {
        var specs = new HashMap<TopicPartition, OffsetSpec>();
        partitions.forEach(partition -> specs.put(partition, OffsetSpec.maxTimestamp()));
        try (var admin = Admin.create(source.connection().clientConfig(Map.of()))) {
            long newest =
                    Cluster.answered(admin.listOffsets(specs).all()).values().stream()
                            .mapToLong(found -> found.timestamp())
                            .max()
                            .orElse(-1);
            if (newest < 0) {
                return null;
            }
            var last = Instant.ofEpochMilli(newest);
            var until = Objects.requireNonNullElse(selection.until(), last);
            return until.isBefore(last) ? until : last;
        } catch (ExecutionException | TimeoutException e) {
            throw source.explained(e);
        }
    }
}
