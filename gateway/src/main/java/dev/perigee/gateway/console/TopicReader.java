package dev.perigee.gateway.console;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the topics onto a board, on a thread of its own and outside any group, from {@code start}
 * to {@code close}. A failure is shown on the board and tried again from where it was.
 */
final class TopicReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicReader.class);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(3);
    private static final Duration END = Duration.ofSeconds(5);

    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final StartPositions starts;
    private final RecordIntake intake;
    private final Board board;
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Thread thread = Thread.ofVirtual().name("console-reader").unstarted(this::run);
    private volatile @Nullable Consumer<byte[], byte[]> current;

    TopicReader(
            Supplier<Consumer<byte[], byte[]>> consumers,
            StartPositions starts,
            Board board,
            InstantSource clock) {
        this.consumers = consumers;
        this.starts = starts;
        this.intake = new RecordIntake(starts.names(), board);
        this.board = board;
        this.clock = clock;
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (closed.getCount() > 0) {
                attempt();
            }
        } catch (InterruptedException | InterruptException | WakeupException e) {
            LOG.atDebug().log("The console stopped reading");
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
            LOG.atWarn().setCause(e).log("The console cannot read the topics");
            board.problem(String.valueOf(e.getMessage()));
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
            positions.putAll(starts.find(consumer, clock.instant()));
        }
        consumer.assign(positions.keySet());
        var ends = consumer.endOffsets(positions.keySet());
        positions.forEach(consumer::seek);
        board.problem(null);
        boolean behind = true;
        while (closed.getCount() > 0) {
            if (behind && ends.entrySet().stream().allMatch(end -> hasRead(consumer, end))) {
                board.caughtUp();
                behind = false;
            }
            var records = consumer.poll(POLL);
            records.forEach(intake::take);
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
