package dev.perigee.testing.fleet;

import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Everything that Perigee wrote to its public topics since the fleet started, committed records
 * only, in the order of arrival. One background thread reads; any thread may ask and wait.
 */
public final class Records implements AutoCloseable {

    /** How long a test waits for a record unless it says otherwise: long, for a loaded machine. */
    public static final Duration PATIENCE = Duration.ofSeconds(40);

    /** A backend's own topic, without the prefix, that requests may name for replies. */
    public static final String REPLIES = "replies";

    private static final Duration POLL = Duration.ofMillis(200);
    private static final int SHOWN = 25;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final List<Received> all = new ArrayList<>();
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final String prefix;
    private final Thread reader;

    private Records(KafkaConsumer<byte[], byte[]> consumer, String prefix) {
        this.consumer = consumer;
        this.prefix = prefix;
        this.reader = Thread.ofPlatform().name("fleet-records").unstarted(this::read);
    }

    /** Starts to read all that Perigee writes under a prefix; the topics must exist. */
    public static Records reading(String bootstrap, TopicNames names) {
        var consumer =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                bootstrap,
                                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                                "earliest",
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_committed",
                                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                                20 << 20),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        var out =
                Stream.of(Topic.values())
                        .filter(topic -> topic != Topic.STATE)
                        .filter(topic -> topic != Topic.COMMANDS && topic != Topic.TOOL_REQUESTS)
                        .map(names::of);
        var partitions =
                Stream.concat(out, Stream.of(names.prefix() + REPLIES))
                        .flatMap(topic -> partitions(consumer, topic))
                        .toList();
        consumer.assign(partitions);
        var records = new Records(consumer, names.prefix());
        records.reader.start();
        return records;
    }

    /** A topic that was created a moment ago is not known at once. */
    private static Stream<TopicPartition> partitions(Consumer<?, ?> consumer, String topic) {
        var deadline = System.nanoTime() + PATIENCE.toNanos();
        var found = consumer.partitionsFor(topic);
        while (found.isEmpty()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("No topic " + topic + " after " + PATIENCE);
            }
            found = consumer.partitionsFor(topic); // asks the broker, so this does not spin
        }
        return found.stream().map(info -> new TopicPartition(info.topic(), info.partition()));
    }

    private void read() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                var batch = new ArrayList<Received>();
                consumer.poll(POLL).forEach(raw -> batch.add(Received.of(prefix, raw)));
                lock.lock();
                try {
                    all.addAll(batch);
                    arrived.signalAll();
                } finally {
                    lock.unlock();
                }
            }
        } catch (WakeupException e) {
            // closed
        } finally {
            // Without a wait for the broker, which holds back its answer to the last poll.
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        }
    }

    /** What has arrived so far and is as asked. */
    public List<Received> matching(Predicate<Received> wanted) {
        lock.lock();
        try {
            return all.stream().filter(wanted).toList();
        } finally {
            lock.unlock();
        }
    }

    /** What has arrived so far on a topic. */
    public List<Received> on(Topic topic) {
        return matching(received -> received.topic().equals(topic.suffix()));
    }

    /** The first record on a topic that is as asked, waited for if need be. */
    public Received await(Topic topic, String what, Predicate<Received> wanted) {
        return await(topic, what, 1, wanted, PATIENCE).getFirst();
    }

    /**
     * The first event of this kind in the life of an installation's process.
     *
     * @param event without what all names begin with, such as {@code crashed}
     */
    public Received lifecycle(Installation installation, String event) {
        return lifecycle(installation, event, 1).getFirst();
    }

    /** The first so many such events. */
    public List<Received> lifecycle(Installation installation, String event, int count) {
        var type = "mcp.server." + event;
        return await(
                Topic.LIFECYCLE,
                event + " of " + installation.processId(),
                count,
                received ->
                        received.key().equals(installation.processId())
                                && received.text("event").equals(type),
                PATIENCE);
    }

    /** The dead letter that a record became. */
    public Received deadLetter(RecordMetadata sent) {
        var origin = new RecordOrigin(sent.topic(), sent.partition(), sent.offset()).toString();
        return await(
                Topic.DEAD_LETTERS,
                "dead letter of " + origin,
                letter -> letter.header("perigee-origin").equals(origin));
    }

    /** The first reply that is as asked. */
    public Received awaitReply(String what, Predicate<Received> wanted) {
        return await(REPLIES, what, 1, wanted, PATIENCE).getFirst();
    }

    /**
     * The first so many records on a topic that are as asked.
     *
     * @throws AssertionError when they have not come in time; it shows what did come
     */
    public List<Received> await(
            Topic topic, String what, int count, Predicate<Received> wanted, Duration patience) {
        return await(topic.suffix(), what, count, wanted, patience);
    }

    private List<Received> await(
            String topic, String what, int count, Predicate<Received> wanted, Duration patience) {
        var found = new ArrayList<Received>();
        long remaining = patience.toNanos();
        int seen = 0;
        lock.lock();
        try {
            while (true) {
                for (; seen < all.size() && found.size() < count; seen++) {
                    var received = all.get(seen);
                    if (received.topic().equals(topic) && wanted.test(received)) {
                        found.add(received);
                    }
                }
                if (found.size() == count) {
                    return List.copyOf(found);
                }
                if (remaining <= 0) {
                    throw missing(topic, what, count, found.size(), patience);
                }
                remaining = arrived.awaitNanos(remaining);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + what, e);
        } finally {
            lock.unlock();
        }
    }

    /** What has arrived when it is enough, or when the time is over. */
    public List<Received> awaitAll(Predicate<List<Received>> enough, Duration patience) {
        long remaining = patience.toNanos();
        lock.lock();
        try {
            while (remaining > 0 && !enough.test(List.copyOf(all))) {
                remaining = arrived.awaitNanos(remaining);
            }
            return List.copyOf(all);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for records", e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until each of these names has come on a topic.
     *
     * @param name of a record
     * @return those that have not come in time
     */
    public Set<String> awaitEach(
            Topic topic, Function<Received, String> name, List<String> names, Duration patience) {
        var missing = new HashSet<>(names);
        long remaining = patience.toNanos();
        int seen = 0;
        lock.lock();
        try {
            while (true) {
                for (; seen < all.size(); seen++) {
                    var received = all.get(seen);
                    if (received.topic().equals(topic.suffix())) {
                        missing.remove(name.apply(received));
                    }
                }
                if (missing.isEmpty() || remaining <= 0) {
                    return missing;
                }
                remaining = arrived.awaitNanos(remaining);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting on " + topic, e);
        } finally {
            lock.unlock();
        }
    }

    private AssertionError missing(
            String topic, String what, int count, int found, Duration patience) {
        var last =
                all.stream()
                        .skip(Math.max(0, all.size() - SHOWN))
                        .map(Received::toString)
                        .collect(Collectors.joining("\n  "));
        return new AssertionError(
                "Expected %d × %s on %s within %s, came %d. The last records of all topics:%n  %s"
                        .formatted(count, what, topic, patience, found, last));
    }

    @Override
    public void close() {
        consumer.wakeup();
        try {
            reader.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
