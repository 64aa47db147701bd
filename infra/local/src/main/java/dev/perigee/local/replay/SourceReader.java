package dev.perigee.local.replay;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads the planned part of the source in the order of time. It holds one batch of each partition
 * at most: a partition is asked again only when what it gave is used up. For one thread.
 */
final class SourceReader implements RecordFeed {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private final Cluster source;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final TimeMerge merge;
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    /**
     * @param next where each partition begins
     * @param ends behind which offset each ends
     */
    SourceReader(Cluster source, Map<TopicPartition, Long> next, Map<TopicPartition, Long> ends) {
        this.source = source;
        // Those of commands before those of requests, for records of one millisecond.
        var order =
                new TreeMap<TopicPartition, Long>(
                        (a, b) -> {
                            int byTopic = a.topic().compareTo(b.topic());
                            return byTopic != 0
                                    ? byTopic
                                    : Integer.compare(a.partition(), b.partition());
                        });
        ends.forEach(
                (partition, end) -> {
                    if (next.getOrDefault(partition, 0L) < end) {
                        order.put(partition, end);
                    }
                });
        this.ends.putAll(order);
        this.merge = new TimeMerge(order.keySet());
        this.consumer =
                source.consumer(
                        Map.of(
                                "max.partition.fetch.bytes", 256 << 10,
                                "fetch.max.bytes", 8 << 20,
                                "max.poll.records", 1_000));
        consumer.assign(order.keySet());
        order.keySet()
                .forEach(partition -> consumer.seek(partition, next.getOrDefault(partition, 0L)));
    }

    /**
     * The next record, or null at the end.
     *
     * @throws ReplayException when the source gives nothing for long, or no longer has the records
     */
    @Override
    public @Nullable ConsumerRecord<byte[], byte[]> next() {
        long silentSince = System.nanoTime();
        for (var record = merge.next(); ; record = merge.next()) {
            if (record != null || merge.isAtEnd()) {
                return record;
            }
            if (fill()) {
                silentSince = System.nanoTime();
            } else if (System.nanoTime() - silentSince > SILENCE.toNanos()) {
                throw ReplayException.unavailable(
                        "The source has given nothing for "
                                + SILENCE.toSeconds()
                                + " s: try again, or go on with --resume, when it answers");
            }
        }
    }

    private boolean fill() {
        try {
            boolean ended = endAll();
            var starving = merge.starving();
            if (ended || starving.isEmpty()) {
                return true;
            }
            var others = new HashSet<>(consumer.assignment());
            others.removeAll(starving);
            consumer.pause(others);
            consumer.resume(starving);
            var records = consumer.poll(POLL);
            for (var record : records) {
                if (record.offset() < endOf(record)) {
                    merge.add(record);
                }
            }
            return !records.isEmpty();
        } catch (OffsetOutOfRangeException e) {
            throw ReplayException.failed(
                    "The source no longer has all records of this run, its retention has passed:"
                            + " start a new run");
        } catch (KafkaException e) {
            throw source.explained(e);
        }
    }

    /** Also behind records that are none: marks of transactions and what was aborted. */
    private boolean endAll() {
        boolean any = false;
        for (var partition : merge.starving()) {
            if (consumer.position(partition) >= ends.getOrDefault(partition, 0L)) {
                merge.end(partition);
                any = true;
            }
        }
        return any;
    }

    private long endOf(ConsumerRecord<?, ?> record) {
        return ends.getOrDefault(new TopicPartition(record.topic(), record.partition()), 0L);
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
}
