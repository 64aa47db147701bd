package dev.perigee.gateway.deadletter;

import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** All that lies on dead-letters now. */
public final class LetterBox {
    /** How many letters are held at once: without their values, some hundred bytes each. */
    public static final int MOST = 200_000;

    private static final Duration POLL = Duration.ofMillis(500);

    private final LetterTopic topic;

    public LetterBox(LetterTopic topic) {
        this.topic = topic;
    }

    /**
     * Letters that were found.
     *
     * @param letters the oldest first
     * @param complete whether all was read that was there
     */
    public record Look(List<Letter> letters, boolean complete) {
        public Look {
            letters = List.copyOf(letters);
        }
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
     * @throws TooManyException when there are more than {@link #MOST}
     */
    public List<Letter> letters(LetterFilter filter) {
        try (var tail = topic.since(filter.since())) {
            return look(tail, filter, null).letters();
        }
    }

    /**
     * The letters at these positions, with their marks, as far as they are read in time. What
     * retention has removed is missing.
     */
    public Look at(Collection<RecordOrigin> positions, Duration atMost) {
        var places =
                positions.stream()
                        .map(RecordOrigin::toString)
                        .collect(Collectors.toUnmodifiableSet());
        try (var tail = topic.at(starts(positions))) {
            return look(tail, LetterFilter.at(places), atMost);
        }
    }

    /**
     * The letters of a tail, as far as they are read in time.
     *
     * @param atMost null for as long as it takes
     * @throws TooManyException when there are more than {@link #MOST}
     */
    public static Look look(LetterTopic.Tail tail, LetterFilter filter, @Nullable Duration atMost) {
        long begin = System.nanoTime();
        var letters = new HashMap<String, Letter>();
        boolean caughtUp = tail.hasCaughtUp();
        while (!caughtUp && (atMost == null || System.nanoTime() - begin < atMost.toNanos())) {
            tail.poll(POLL).forEach(record -> take(record, filter, letters));
            caughtUp = tail.hasCaughtUp();
        }
        var sorted =
                letters.values().stream()
                        .sorted(
                                Comparator.comparing(Letter::time)
                                        .thenComparingInt(letter -> letter.position().partition())
                                        .thenComparingLong(letter -> letter.position().offset()))
                        .toList();
        return new Look(sorted, caughtUp);
    }

    /**
     * A mark comes after its letter, in the same partition. It has no reason: what has one is a
     * letter, whatever headers its author gave it.
     */
    private static void take(
            ConsumerRecord<byte[], byte[]> record,
            LetterFilter filter,
            Map<String, Letter> letters) {
        var marked = Letter.text(record, Headers.REDRIVEN);
        if (!marked.isEmpty() && record.headers().lastHeader(Headers.REASON) == null) {
            letters.computeIfPresent(marked, (_, letter) -> letter.marked(record));
            return;
        }
        var letter = Letter.of(record);
        if (filter.accepts(letter)) {
            letters.put(
                    letter.position().toString(),
                    filter.places().isEmpty() ? letter : letter.looked(record));
            if (letters.size() > MOST) {
                throw new TooManyException();
            }
        }
    }

    /**
     * Reads these letters whole. What retention has removed meanwhile is passed over.
     *
     * @param patience how long nothing may come before all is read, null for as long as it takes
     * @throws TimeoutException when nothing came for that long
     */
    public void read(Collection<RecordOrigin> positions, @Nullable Duration patience, Reader reader)
            throws InterruptedException {
        Set<String> open = new TreeSet<>();
        positions.forEach(position -> open.add(position.toString()));
        if (open.isEmpty()) {
            return;
        }
        try (var tail = topic.at(starts(positions))) {
            long begin = System.nanoTime();
            while (!open.isEmpty() && !tail.hasCaughtUp()) {
                var records = tail.poll(POLL);
                for (var record : records) {
                    if (open.remove(Letter.positionOf(record).toString())) {
                        reader.take(record);
                    }
                }
                if (!records.isEmpty()) {
                    begin = System.nanoTime();
                } else if (patience != null && System.nanoTime() - begin >= patience.toNanos()) {
                    throw new TimeoutException("no record came for " + patience.toSeconds() + " s");
                }
            }
        }
    }

    private static Map<TopicPartition, Long> starts(Collection<RecordOrigin> positions) {
        var starts = new HashMap<TopicPartition, Long>();
        for (var position : positions) {
            var partition = new TopicPartition(position.topic(), position.partition());
            starts.merge(partition, position.offset(), Math::min);
        }
        return starts;
    }
}
