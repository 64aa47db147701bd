package dev.perigee.local.deadletter;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.TopicTail;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** All that lies on dead-letters now. */
public final class LetterBox {
    /** How many letters are held at once: without their values, some hundred bytes each. */
    public static final int MOST = 200_000;

    private static final Duration POLL = Duration.ofMillis(500);

    private final KafkaConnection connection;

    public LetterBox(KafkaConnection connection) {
        this.connection = connection;
    }

    /** Is given whole letters, in the order of each partition. */
    public interface Reader {
        void take(ConsumerRecord<byte[], byte[]> letter) throws InterruptedException;
    }

    /** More letters match than can be held at once. */
    public static final class TooManyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooManyException() {
            super("More than " + MOST + " dead letters match.");
        }
    }

    /**
     * The letters that a filter accepts, the oldest first.
     *
     * @throws dev.perigee.client.BrokerUnreachableException when no broker answers
     * @throws TooManyException when there are more than {@link #MOST}
     */
    public List<Letter> letters(LetterFilter filter) {
        var since = filter.since();
        TopicTail.Start start =
                since == null ? new TopicTail.Start.Beginning() : new TopicTail.Start.Since(since);
        var letters = new HashMap<String, Letter>();
        try (var tail = TopicTail.open(connection, start, Topic.DEAD_LETTERS)) {
            while (!tail.hasCaughtUp()) {
                tail.poll(POLL).forEach(record -> take(record, filter, letters));
            }
        }
        return letters.values().stream()
                .sorted(
                        Comparator.comparing(Letter::time)
                                .thenComparingInt(letter -> letter.position().partition())
                                .thenComparingLong(letter -> letter.position().offset()))
                .toList();
    }

    /** A mark comes after its letter, in the same partition. */
    private static void take(
            ConsumerRecord<byte[], byte[]> record,
            LetterFilter filter,
            Map<String, Letter> letters) {
        var marked = Letter.text(record, Headers.REDRIVEN);
        if (!marked.isEmpty()) {
            letters.computeIfPresent(
                    marked,
                    (position, letter) ->
                            letter.redrivenTo(Letter.text(record, Headers.REDRIVEN_TO)));
            return;
        }
        var letter = Letter.of(record);
        if (filter.accepts(letter)) {
            letters.put(letter.position().toString(), letter);
            if (letters.size() > MOST) {
                throw new TooManyException();
            }
        }
    }

    /** Reads these letters whole. What retention has removed meanwhile is passed over. */
    public void read(Collection<RecordOrigin> positions, Reader reader)
            throws InterruptedException {
        var starts = new HashMap<TopicPartition, Long>();
        Set<String> open = new TreeSet<>();
        for (var position : positions) {
            var partition = new TopicPartition(position.topic(), position.partition());
            starts.merge(partition, position.offset(), Math::min);
            open.add(position.toString());
        }
        if (open.isEmpty()) {
            return;
        }
        try (var tail =
                TopicTail.open(connection, new TopicTail.Start.At(starts), Topic.DEAD_LETTERS)) {
            while (!open.isEmpty() && !tail.hasCaughtUp()) {
                for (var record : tail.poll(POLL)) {
                    if (open.remove(Letter.positionOf(record).toString())) {
                        reader.take(record);
                    }
                }
            }
        }
    }
}
