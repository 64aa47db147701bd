package dev.perigee.gateway.deadletter;

import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.jspecify.annotations.Nullable;

/**
 * Puts letters back, a batch of them and their marks in one transaction. Whatever ends it, a letter
 * was put back and is marked, or neither.
 */
public final class Redrive implements AutoCloseable {
    private static final int BATCH = 100;
    private static final int BATCH_BYTES = 8 << 20;
    private static final int LARGEST_BYTES = 21 << 20;

    /** How long another run's open transaction may last, and so how long to wait for its end. */
    private static final Duration OTHER_RUN = Duration.ofSeconds(30);

    private static final Duration ACKNOWLEDGED = Duration.ofSeconds(10);
    private static final Duration CLOSED = Duration.ofSeconds(5);

    private final Producer<byte[], byte[]> producer;
    private final String deadLetters;
    private final Map<String, Letter> letters = new HashMap<>();
    private final List<Open> batch = new ArrayList<>();
    private int batchBytes;

    private record Open(Letter letter, ProducerRecord<byte[], byte[]> record) {}

    /** Another run began: it knows what this one did, and goes on from there. */
    public static final class TakenOverException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TakenOverException(Throwable cause) {
            super("Another redrive began and ended this one.", cause);
        }
    }

    private Redrive(Producer<byte[], byte[]> producer, String deadLetters) {
        this.producer = producer;
        this.deadLetters = deadLetters;
    }

    /** What its producer has to have: the one transactional id, and ends of all waits. */
    public static Map<String, Object> config(TopicNames names) {
        return Map.of(
                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                names.prefix() + "redrive",
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                (int) OTHER_RUN.toMillis(),
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                (int) OTHER_RUN.toMillis(),
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                (int) ACKNOWLEDGED.toMillis(),
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                LARGEST_BYTES);
    }

    /**
     * Begins a run and ends any other. Letters must be read after this.
     *
     * @param producer made with {@link #config}; the run closes it, also when it cannot begin
     * @throws KafkaException when no broker answers, or one refuses
     */
    public static Redrive begin(Producer<byte[], byte[]> producer, TopicNames names) {
        boolean begun = false;
        try {
            producer.initTransactions();
            begun = true;
            return new Redrive(producer, names.of(Topic.DEAD_LETTERS));
        } finally {
            if (!begun) {
                producer.close(CLOSED);
            }
        }
    }

    /**
     * Puts letters back; tells of each when it is sure.
     *
     * @param patience how long no letter may come, null for as long as it takes
     * @throws TakenOverException when another run began
     * @throws KafkaException when no broker answers, or one refuses: of what was not told then a
     *     new run finds out whether it was put back
     */
    public void run(
            List<Letter> chosen,
            LetterBox box,
            @Nullable Duration patience,
            Drafter drafter,
            Consumer<Redriven> listener)
            throws InterruptedException {
        chosen.forEach(letter -> letters.put(letter.position().toString(), letter));
        try {
            box.read(
                    chosen.stream().map(Letter::position).toList(),
                    patience,
                    record -> {
                        var letter = letters.get(Letter.positionOf(record).toString());
                        if (letter == null) {
                            return;
                        }
                        switch (drafter.draft(record)) {
                            case Draft.Ready(var back) -> add(letter, back, listener);
                            case Draft.Refused(var why) ->
                                    listener.accept(
                                            new Redriven(letter, Redriven.REFUSED, null, why));
                        }
                    });
            commit(listener);
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            throw new TakenOverException(e);
        }
    }

    private void add(
            Letter letter, ProducerRecord<byte[], byte[]> record, Consumer<Redriven> listener)
            throws InterruptedException {
        batch.add(new Open(letter, record));
        batchBytes += sizeOf(record);
        if (batch.size() >= BATCH || batchBytes >= BATCH_BYTES) {
            commit(listener);
        }
    }

    /** The key is in the mark, too. */
    private static int sizeOf(ProducerRecord<byte[], byte[]> record) {
        int size = lengthOf(record.value()) + 2 * lengthOf(record.key());
        for (var header : record.headers()) {
            size += header.key().length() + lengthOf(header.value());
        }
        return size;
    }

    private static int lengthOf(byte @Nullable [] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    private void commit(Consumer<Redriven> listener) throws InterruptedException {
        if (batch.isEmpty()) {
            return;
        }
        producer.beginTransaction();
        var sent = new ArrayList<Future<RecordMetadata>>();
        batch.forEach(open -> sent.add(producer.send(open.record())));
        producer.flush();
        var told = new ArrayList<Redriven>();
        var marks = new ArrayList<Future<RecordMetadata>>();
        for (var i = 0; i < sent.size(); i++) {
            var letter = batch.get(i).letter();
            var at = written(sent.get(i));
            var to = at.topic() + "-" + at.partition() + "@" + at.offset();
            marks.add(producer.send(mark(letter, batch.get(i).record(), to)));
            told.add(new Redriven(letter, Redriven.DONE, to, null));
        }
        producer.flush();
        for (var mark : marks) {
            written(mark);
        }
        producer.commitTransaction();
        batch.clear();
        batchBytes = 0;
        told.forEach(listener);
    }

    private ProducerRecord<byte[], byte[]> mark(
            Letter letter, ProducerRecord<byte[], byte[]> record, String to) {
        var mark =
                new ProducerRecord<byte[], byte[]>(
                        deadLetters, letter.position().partition(), record.key(), null);
        mark.headers()
                .add(Headers.REDRIVEN, bytes(letter.position().toString()))
                .add(Headers.REDRIVEN_TO, bytes(to));
        return mark;
    }

    private RecordMetadata written(Future<RecordMetadata> sent) throws InterruptedException {
        try {
            return sent.get(ACKNOWLEDGED.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            var cause = e.getCause();
            throw cause instanceof KafkaException kafka ? kafka : new KafkaException(cause);
        } catch (TimeoutException e) {
            throw new org.apache.kafka.common.errors.TimeoutException(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Also of an interrupted thread, which stays that. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            producer.close(CLOSED);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
