package dev.perigee.bench.load;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** Reads all partitions of one topic from their ends, on one platform thread, until closed. */
public final class RecordLoop implements AutoCloseable {
    private static final Duration POLL = Duration.ofSeconds(1);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Consumer<ConsumerRecords<byte[], byte[]>> handler;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final Thread thread;

    private RecordLoop(
            KafkaConsumer<byte[], byte[]> consumer,
            String topic,
            Consumer<ConsumerRecords<byte[], byte[]>> handler) {
        this.consumer = consumer;
        this.handler = handler;
        this.thread = Thread.ofPlatform().name("bench-" + topic).daemon().unstarted(this::run);
    }

    /** Returns when every partition's end is known: what is produced later is read. */
    public static RecordLoop start(
            String bootstrap, String topic, Consumer<ConsumerRecord<byte[], byte[]>> handler) {
        return ofBatches(bootstrap, topic, records -> records.forEach(handler));
    }

    /** The same, and the handler is told what came together. */
    static RecordLoop ofBatches(
            String bootstrap, String topic, Consumer<ConsumerRecords<byte[], byte[]>> handler) {
        var consumer = LoadClients.consumer(bootstrap);
        var partitions =
                consumer.partitionsFor(topic).stream()
                        .map(info -> new TopicPartition(topic, info.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        partitions.forEach(consumer::position);
        var loop = new RecordLoop(consumer, topic, handler);
        loop.thread.start();
        return loop;
    }

    private void run() {
        try (consumer) {
            while (!closing.get()) {
                var records = consumer.poll(POLL);
                if (!records.isEmpty()) {
                    handler.accept(records);
                }
            }
        } catch (WakeupException e) {
            if (!closing.get()) {
                throw e;
            }
        }
    }

    @Override
    public void close() {
        closing.set(true);
        consumer.wakeup();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
