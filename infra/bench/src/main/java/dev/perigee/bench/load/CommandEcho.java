package dev.perigee.bench.load;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The least that a command costs which is durable before it is acted on and ends once: a record, a
 * transaction that accepts it, a transaction that ends it, and a reader of what is committed.
 * Nothing is done in between. Used by one thread at a time.
 */
public final class CommandEcho implements AutoCloseable {
    private static final String COMMANDS = "bench.commands";
    private static final String STATE = "bench.state";
    private static final String RESULTS = "bench.results";
    private static final byte[] ACCEPTED = {1};
    private static final byte[] ENDED = {2};
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Producer<byte[], byte[]> client;
    private final Producer<byte[], byte[]> transactions;
    private final ConsumerGroupMetadata group;
    private final LinkedBlockingQueue<Long> ended = new LinkedBlockingQueue<>();
    private final RecordLoop commands;
    private final RecordLoop results;

    private CommandEcho(String bootstrap) {
        client = LoadClients.producer(bootstrap);
        transactions = LoadClients.transactionalProducer(bootstrap);
        transactions.initTransactions();
        group = LoadClients.group(bootstrap);
        commands = RecordLoop.start(bootstrap, COMMANDS, this::run);
        results = RecordLoop.start(bootstrap, RESULTS, this::result);
    }

    /** Creates the topics and connects. */
    public static CommandEcho start(String bootstrap) throws IOException, InterruptedException {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            var topics = List.of(COMMANDS, STATE, RESULTS);
            admin.createTopics(
                            topics.stream()
                                    .map(topic -> new NewTopic(topic, 1, (short) 1))
                                    .toList())
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new IOException("The benchmark's topics could not be created", e);
        }
        return new CommandEcho(bootstrap);
    }

    /** Nanoseconds from a command to its end. */
    public long time() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        var _ = client.send(new ProducerRecord<>(COMMANDS, new byte[] {0}));
        var end = ended.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (end == null) {
            throw new IOException("A bare command did not end in time");
        }
        return end - begin;
    }

    private void run(ConsumerRecord<byte[], byte[]> command) {
        transact(ACCEPTED, command.offset());
        transact(ENDED, command.offset() + 1);
    }

    private void transact(byte[] what, long offset) {
        transactions.beginTransaction();
        for (var topic : List.of(STATE, RESULTS)) {
            var _ = transactions.send(new ProducerRecord<>(topic, what));
        }
        var done = Map.of(new TopicPartition(COMMANDS, 0), new OffsetAndMetadata(offset));
        transactions.sendOffsetsToTransaction(done, group);
        transactions.commitTransaction();
    }

    private void result(ConsumerRecord<byte[], byte[]> result) {
        if (result.value()[0] == ENDED[0]) {
            ended.add(System.nanoTime());
        }
    }

    @Override
    public void close() {
        client.close();
        commands.close();
        results.close();
        transactions.close();
    }
}
