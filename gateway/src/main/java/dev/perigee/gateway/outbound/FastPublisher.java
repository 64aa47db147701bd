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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes results, logs, lifecycle events and dead letters: idempotent, acknowledged by all
 * replicas, sent at once. Records of one key keep their order. While the broker is away records
 * wait in the producer, which repeats them without end; what may be under way is bounded by the
 * credit and the open records of the partitions. A record that the producer gives up for another
 * reason than its size is written again after a pause. Thread-safe; {@link #publish} blocks while
 * the producer's buffer is full or no broker tells where the topic is, so that what follows does
 * not overtake: not for threads of the producer. A record whose {@link Delivery#isVoid} is true is
 * not given to the producer any more, and {@link #drop} takes back what the producer has not sent.
 */
public final class FastPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FastPublisher.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Supplier<Producer<byte[], byte[]>> producers;
    private final MeterProvider<Counter> written;
    private final Map<String, Counter> writtenTo = new ConcurrentHashMap<>();
    private final MeterProvider<Counter> failures;
    private final MeterProvider<Counter> waits;
    private final Troubles troubles = new Troubles(LOG);
    private final Backlog backlog = new Backlog(InstantSource.system());
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Producer<byte[], byte[]> producer;

    /**
     * @param producers makes producers that are alike; at once the first
     */
    public FastPublisher(Supplier<Producer<byte[], byte[]>> producers, MeterRegistry metrics) {
        this.producers = producers;
        this.producer = producers.get();
        this.written = counters(metrics, "records.out", "Records acknowledged by Kafka");
        this.failures = counters(metrics, "publish.failures", "Attempts that Kafka refused");
        this.waits = counters(metrics, "publish.waits", "Times the producer's buffer was full");
        Gauge.builder("perigee.gateway.publish.held", backlog, held -> held.held().records())
                .description("Records that Kafka has not acknowledged yet")
                .register(metrics);
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
    public void prepare(List<String> topics) {
        for (var topic : topics) {
            producer.partitionsFor(topic);
            for (var counters : List.of(written, failures, waits)) {
                var _ = counters.withTags("topic", topic);
            }
        }
    }

    /** Writes a record. */
    public void publish(ProducerRecord<byte[], byte[]> record, Delivery delivery) {
        backlog.begun();
        write(record, delivery);
    }

    private void write(ProducerRecord<byte[], byte[]> record, Delivery delivery) {
        while (!isDropped(delivery) && !hasRoomFor(record, delivery) && closed.getCount() > 0) {
            waits.withTags("topic", record.topic()).increment();
            troubles.log(
                    record.topic(), "The producer takes no records, waiting for the broker", null);
        }
    }

    private boolean isDropped(Delivery delivery) {
        boolean dropped = delivery.isVoid();
        if (dropped) {
            backlog.ended();
        }
        return dropped;
    }

    /**
     * Takes back what the producer has not sent, and what it would repeat: of that nothing is
     * written but what is still wanted. What is on its way to a broker may still arrive.
     */
    public synchronized void drop() {
        if (closed.getCount() > 0) {
            var before = producer;
            producer = producers.get();
            before.close(Duration.ZERO);
        }
    }

    /** Hands a record to the producer; false when it could not take it in time. */
    private boolean hasRoomFor(ProducerRecord<byte[], byte[]> record, Delivery delivery) {
        var room = new AtomicBoolean(true);
        var caller = Thread.currentThread();
        try {
            var _ =
                    producer.send(
                            record,
                            (metadata, failure) -> {
                                if (failure == null) {
                                    count(record.topic());
                                    backlog.ended();
                                    delivery.delivered();
                                } else if (failure instanceof TimeoutException
                                        && caller.equals(Thread.currentThread())) {
                                    room.set(false); // Told before send returns.
                                } else {
                                    failed(record, delivery, failure);
                                }
                            });
        } catch (InterruptException e) {
            throw e;
        } catch (KafkaException | IllegalStateException e) {
            failed(record, delivery, e);
        }
        return room.get();
    }

    /** Writes what waits, bounded. */
    @Override
    public synchronized void close() {
        closed.countDown();
        producer.close(Duration.ofSeconds(5));
    }

    private void failed(
            ProducerRecord<byte[], byte[]> record, Delivery delivery, Exception failure) {
        failures.withTags("topic", record.topic()).increment();
        if (isDropped(delivery)) {
            return;
        }
        if (failure instanceof RecordTooLargeException) {
            backlog.ended();
            // What is written instead may have to wait, and for the producer's own thread.
            Thread.ofVirtual().name("too-large").start(delivery::tooLarge);
        } else if (closed.getCount() > 0) {
            troubles.log(record.topic(), "Records are not written, writing them again", failure);
            Thread.ofVirtual().name("publish-again").start(() -> again(record, delivery));
        }
    }

    private void again(ProducerRecord<byte[], byte[]> record, Delivery delivery) {
        try {
            if (!closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                write(record, delivery);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void count(String topic) {
        writtenTo.computeIfAbsent(topic, name -> written.withTags("topic", name)).increment();
    }
}
