package dev.perigee.local.deadletter;

import dev.perigee.client.KafkaConnection;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
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
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

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

    private final KafkaConnection connection;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Map<String, Letter> letters = new HashMap<>();
    private final List<Open> batch = new ArrayList<>();
    private int batchBytes;

    private record Open(Letter letter, ProducerRecord<byte[], byte[]> record) {}

    /** Another run began: it knows what this one did, and goes on from there. */
    public static final class TakenOverException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TakenOverException(Throwable cause) {
            super("Another 'perigee redrive' began and ended this one.", cause);
        }
    }

    private Redrive(KafkaConnection connection, KafkaProducer<byte[], byte[]> producer) {
        this.connection = connection;
        this.producer = producer;
    }

    /**
     * Begins a run and ends any other. Letters must be read after this.
     *
     * @throws dev.perigee.client.BrokerUnreachableException when no broker answers
     */
    public static Redrive begin(KafkaConnection connection) {
        KafkaProducer<byte[], byte[]> producer = null;
        try {
            producer =
                    new KafkaProducer<>(
                            connection.clientConfig(
                                    Map.of(
                                            "transactional.id",
                                            connection.names().prefix() + "redrive",
                                            "transaction.timeout.ms",
                                            (int) OTHER_RUN.toMillis(),
                                            "max.block.ms",
                                            (int) OTHER_RUN.toMillis(),
                                            "delivery.timeout.ms",
                                            2 * (int) KafkaConnection.PATIENCE.toMillis(),
                                            "max.request.size",
                                            LARGEST_BYTES)),
                            new ByteArraySerializer(),
                            new ByteArraySerializer());
            producer.initTransactions();
            return new Redrive(connection, producer);
        } catch (KafkaException e) {
            if (producer != null) {
                producer.close(KafkaConnection.PATIENCE);
            }
            throw connection.explained(e);
        }
    }

    /**
     * Puts letters back; tells of each when it is sure.
     *
     * @throws TakenOverException when another run began
     */
    public void run(
            List<Letter> chosen, LetterBox box, Drafter drafter, Consumer<Redriven> listener)
            throws InterruptedException {
        chosen.forEach(letter -> letters.put(letter.position().toString(), letter));
        try {
            box.read(
                    chosen.stream().map(Letter::position).toList(),
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
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    private void add(
            Letter letter, ProducerRecord<byte[], byte[]> record, Consumer<Redriven> listener)
            throws InterruptedException {
        batch.add(new Open(letter, record));
        batchBytes += record.value() == null ? 0 : record.value().length;
        if (batch.size() >= BATCH || batchBytes >= BATCH_BYTES) {
            commit(listener);
        }
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
                        connection.name(Topic.DEAD_LETTERS),
                        letter.position().partition(),
                        record.key(),
                        null);
        mark.headers()
                .add(Headers.REDRIVEN, bytes(letter.position().toString()))
                .add(Headers.REDRIVEN_TO, bytes(to));
        return mark;
    }

    private RecordMetadata written(Future<RecordMetadata> sent) throws InterruptedException {
        try {
            return sent.get(2 * KafkaConnection.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ProducerFencedException
                    || e.getCause() instanceof InvalidProducerEpochException) {
                throw new TakenOverException(e);
            }
            throw connection.explained(e);
        } catch (TimeoutException e) {
            throw connection.explained(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        producer.close(KafkaConnection.PATIENCE);
    }
}
