package dev.perigee.gateway.outbound;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of results, logs, lifecycle events and dead letters: idempotent, acknowledged by all
 * replicas, sent at once. Records of one key keep their order. While the broker is away records
 * wait in the producer, which retries without end, and, once that is full, before it; what may be
 * under way is bounded by the credit and the open records of the partitions. A record that the
 * producer gives up for another reason than its size is written again after a pause. A topic that
 * alone cannot be written holds up no other, see {@link UnwritablePolicy}. A record whose {@link
 * Delivery#isFenced} is true is not given to the producer any more, and {@link #drop} takes back
 * what the producer has not sent. Thread-safe; {@link #publish} does not wait, as long as the
 * producer does not.
 */
public final class FastPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FastPublisher.class);
    private static final Duration PREPARATION = Duration.ofSeconds(30);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);
    private static final Duration NO_ROOM_PAUSE = Duration.ofMillis(20);
    private static final Duration FAILURE_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_DROP = Duration.ofSeconds(1);

    private final Supplier<Producer<byte[], byte[]>> producers;
    private final TopicHealth health;
    private final Map<String, TopicLane> lanes = new ConcurrentHashMap<>();
    private final MeterProvider<Counter> written;
    private final Map<String, Counter> writtenTo = new ConcurrentHashMap<>();
    private final MeterProvider<Counter> failures;
    private final MeterProvider<Counter> waits;
    private final DroppedRecords dropped;
    private final RateLimitedWarnings warnings = new RateLimitedWarnings(LOG);
    private final Backlog backlog = new Backlog(InstantSource.system());
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Producer<byte[], byte[]> producer;

    /**
     * @param producers makes producers that are alike, which wait neither for room nor for the
     *     whereabouts of a topic; at once the first, and another at the first record after a {@link
     *     #drop}
     */
    public FastPublisher(
            Supplier<Producer<byte[], byte[]>> producers,
            TopicHealth health,
            MeterRegistry metrics) {
        this.producers = producers;
        this.producer = producers.get();
        this.health = health;
        this.written = counters(metrics, "records.out", "Records acknowledged by Kafka");
        this.failures = counters(metrics, "publish.failures", "Attempts that Kafka refused");
        this.waits = counters(metrics, "publish.waits", "Times the producer's buffer was full");
        this.dropped = new DroppedRecords(metrics);
        Gauge.builder("perigee.gateway.publish.held", backlog, held -> held.held().records())
                .description("Records that Kafka has not acknowledged yet")
                .register(metrics);
        health.listen(this::healthChanged);
    }

    /** What Kafka has not acknowledged yet. */
    public Backlog backlog() {
        return backlog;
    }

    private static MeterProvider<Counter> counters(
            MeterRegistry metrics, String name, String description) {
        return Counter.builder("perigee.gateway." + name)
                .description(description)
                .withRegistry(metrics);
    }

    /**
     * Learns where topics are, so that no record waits for that, and shows their counters.
     *
     * @throws KafkaException when the broker does not answer or a topic is missing
     */
    public void prepare(List<String> topics) throws InterruptedException {
        long deadline = System.nanoTime() + PREPARATION.toNanos();
        for (var topic : topics) {
            while (!isFound(topic, deadline)) {
                if (closed.await(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
            for (var counters : List.of(written, failures, waits)) {
                var _ = counters.withTags("topic", topic);
            }
            dropped.show(topic);
        }
    }

    private boolean isFound(String topic, long deadline) {
        try {
            producer().partitionsFor(topic);
            return true;
        } catch (TimeoutException e) {
            if (System.nanoTime() - deadline > 0) {
                throw e;
            }
            return false;
        }
    }

    /** Writes a record. */
    public void publish(ProducerRecord<byte[], byte[]> record, Delivery delivery) {
        backlog.begun();
        var lane = lane(record.topic());
        TopicLane.Change change;
        synchronized (lane) {
            change = lane.add(record, delivery);
        }
        tell(change);
        send(lane);
    }

    private TopicLane lane(String topic) {
        return lanes.computeIfAbsent(
                topic,
                name -> {
                    var lane = new TopicLane(health.policy(name));
                    lane.block(health.isBlocked(name));
                    return lane;
                });
    }

    /** Hands over what may go, in order: one thread at a time, which does it for the others. */
    private void send(TopicLane lane) {
        for (var next = next(lane); next != null; next = next(lane)) {
            try {
                hand(lane, next);
            } finally {
                synchronized (lane) {
                    lane.handed();
                }
            }
        }
    }

    private static TopicLane.@Nullable Pending next(TopicLane lane) {
        synchronized (lane) {
            return lane.next();
        }
    }

    /**
     * Closes the producer, which drops unsent records and retries: a new one is given only those
     * whose owner may still publish. A request in flight may still be appended by a broker.
     */
    public void drop() {
        var before = take();
        if (before != null) {
            // It waits without bound for its thread, which may look for a broker's name.
            var closing = Thread.ofVirtual().name("drop").start(() -> before.close(Duration.ZERO));
            try {
                var _ = closing.join(LONGEST_DROP);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Not under the lock is it closed: its thread may want another producer meanwhile. */
    private synchronized @Nullable Producer<byte[], byte[]> take() {
        var taken = producer;
        producer = null;
        return taken;
    }

    /**
     * The producer that there is, or another. None can be made while no broker's name resolves,
     * which may be when the group is not heard.
     */
    private Producer<byte[], byte[]> producer() {
        var made = producer;
        return made == null ? make() : made;
    }

    private synchronized Producer<byte[], byte[]> make() {
        var made = producer;
        if (made == null) {
            if (closed.getCount() == 0) {
                throw new IllegalStateException("closed");
            }
            made = producers.get();
            producer = made;
        }
        return made;
    }

    private void hand(TopicLane lane, TopicLane.Pending pending) {
        if (isDropped(lane, pending)) {
            return;
        }
        var caller = Thread.currentThread();
        try {
            var _ =
                    producer()
                            .send(
                                    pending.record(),
                                    (metadata, failure) -> {
                                        if (failure == null) {
                                            written(lane, pending);
                                        } else if (failure instanceof TimeoutException
                                                && caller.equals(Thread.currentThread())) {
                                            noRoom(lane, pending); // Told before send returns.
                                        } else {
                                            failed(lane, pending, failure);
                                        }
                                    });
        } catch (InterruptException e) {
            noRoom(lane, pending); // The thread is interrupted again by now.
        } catch (KafkaException | IllegalStateException e) {
            failed(lane, pending, e);
        }
    }

    private boolean isDropped(TopicLane lane, TopicLane.Pending pending) {
        if (!pending.delivery().isFenced()) {
            return false;
        }
        if (isFirstEnd(lane, pending)) {
            backlog.ended();
        }
        return true;
    }

    private static boolean isFirstEnd(TopicLane lane, TopicLane.Pending pending) {
        synchronized (lane) {
            lane.ended(pending);
            return pending.settle();
        }
    }

    private void written(TopicLane lane, TopicLane.Pending pending) {
        boolean first = isFirstEnd(lane, pending);
        var topic = pending.record().topic();
        writtenTo.computeIfAbsent(topic, name -> written.withTags("topic", name)).increment();
        if (first) {
            backlog.ended();
            pending.delivery().delivered();
        }
        send(lane);
    }

    private void noRoom(TopicLane lane, TopicLane.Pending pending) {
        var topic = pending.record().topic();
        waits.withTags("topic", topic).increment();
        warnings.log(topic, "The producer takes no records, waiting for the broker", null);
        later(lane, pending, NO_ROOM_PAUSE);
    }

    private void failed(TopicLane lane, TopicLane.Pending pending, Exception failure) {
        var topic = pending.record().topic();
        failures.withTags("topic", topic).increment();
        if (isDropped(lane, pending)) {
            // What waited behind it, not on the producer's own thread.
            Thread.ofVirtual().name("publish-rest").start(() -> send(lane));
            return;
        }
        if (failure instanceof RecordTooLargeException) {
            if (isFirstEnd(lane, pending)) {
                backlog.ended();
                // What is written instead may have to wait, and for the producer's own thread.
                Thread.ofVirtual().name("too-large").start(pending.delivery()::tooLarge);
            }
        } else if (closed.getCount() > 0) {
            warnings.log(topic, "Records are not written, writing them again", failure);
            later(lane, pending, FAILURE_PAUSE);
        }
    }

    private void later(TopicLane lane, TopicLane.Pending pending, Duration pause) {
        TopicLane.Change change;
        boolean mine;
        synchronized (lane) {
            change = lane.again(pending);
            mine = lane.pause();
        }
        if (mine) {
            Thread.ofVirtual().name("publish-again").start(() -> resume(lane, pause));
        }
        tell(change);
    }

    private void resume(TopicLane lane, Duration pause) {
        try {
            if (!closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                synchronized (lane) {
                    lane.paused();
                }
                send(lane);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void healthChanged() {
        health.names().forEach(this::healthChanged);
    }

    private void healthChanged(String topic) {
        var lane = lane(topic);
        TopicLane.Change change;
        synchronized (lane) {
            change = lane.block(health.isBlocked(topic));
        }
        tell(change);
        send(lane);
    }

    private void tell(TopicLane.Change change) {
        change.kept().forEach(pending -> pending.delivery().kept());
        for (var pending : change.dropped()) {
            backlog.ended();
            dropped.count(pending.record().topic());
            pending.delivery().delivered();
        }
    }

    /** Writes what waits, bounded. */
    @Override
    public void close() {
        closed.countDown();
        var last = take();
        if (last != null) {
            last.close(Duration.ofSeconds(5));
        }
    }
}
