package dev.perigee.gateway.inbound;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Reads topics outside any group, on a thread of its own, from {@code start} to {@code close}. A
 * failure is logged and retried from the same position, every three seconds. Partitions that are
 * added meanwhile are not read.
 */
public final class TopicFollower implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(3);
    private static final Duration END = Duration.ofSeconds(5);

    /** Takes what is read; on the thread of the tail. */
    public interface Reader {
        /** The offset at which to begin, by partition; asked until it answers once. */
        Map<TopicPartition, Long> starts(Consumer<byte[], byte[]> consumer);

        /** A record; must not throw. */
        void take(ConsumerRecord<byte[], byte[]> record);

        /** Everything was read that was there when it began, or began again. */
        void caughtUp();

        /** Why it cannot read, null when it can. */
        void problem(@Nullable KafkaException problem);
    }

    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final Reader reader;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Thread thread;
    private volatile @Nullable Consumer<byte[], byte[]> current;

    /**
     * @param name of the thread
     * @param consumers makes consumers outside any group
     */
    public TopicFollower(String name, Supplier<Consumer<byte[], byte[]>> consumers, Reader reader) {
        this.consumers = consumers;
        this.reader = reader;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    /** Begins. */
    public void start() {
        thread.start();
    }

    private void run() {
        try {
            while (closed.getCount() > 0) {
                attempt();
            }
        } catch (InterruptedException | InterruptException | WakeupException e) {
            // It is closed.
        }
    }

    private void attempt() throws InterruptedException {
        Consumer<byte[], byte[]> consumer = null;
        try {
            consumer = consumers.get();
            current = consumer;
            read(consumer);
        } catch (WakeupException | InterruptException e) {
            throw e;
        } catch (KafkaException e) {
            reader.problem(e);
            var _ = closed.await(PAUSE_AFTER_FAILURE.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            current = null;
            if (consumer != null) {
                consumer.close(CloseOptions.timeout(Duration.ZERO));
            }
        }
    }

    private void read(Consumer<byte[], byte[]> consumer) {
        if (positions.isEmpty()) {
            positions.putAll(reader.starts(consumer));
        }
        consumer.assign(positions.keySet());
        var ends = consumer.endOffsets(positions.keySet());
        positions.forEach(consumer::seek);
        reader.problem(null);
        boolean behind = true;
        while (closed.getCount() > 0) {
            if (behind && ends.entrySet().stream().allMatch(end -> hasRead(consumer, end))) {
                reader.caughtUp();
                behind = false;
            }
            var records = consumer.poll(POLL);
            records.forEach(reader::take);
            records.partitions().forEach(it -> positions.put(it, consumer.position(it)));
        }
    }

    private static boolean hasRead(
            Consumer<byte[], byte[]> consumer, Map.Entry<TopicPartition, Long> end) {
        return consumer.position(end.getKey()) >= end.getValue();
    }

    @Override
    public void close() {
        closed.countDown();
        var reading = current;
        if (reading != null) {
            reading.wakeup();
        }
        try {
            if (!thread.join(END)) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
