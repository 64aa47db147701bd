package dev.perigee.bench.load;

import dev.perigee.protocol.topic.RecordKey;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The least that any gateway over Kafka costs: a topic of requests, a process that answers each
 * with a record, a topic of replies; one hop each way. Keys, partitions, sizes, headers and client
 * settings are those of the same call through a fleet.
 */
public final class KafkaEcho implements EchoPath, AutoCloseable {
    static final String REQUESTS = "bench.requests";
    static final String REPLIES = "bench.replies";

    private final String run = EchoRequests.newRun();
    private final EchoRequests template;
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordLoop replies;
    private final Map<Long, Answer> waiting = new ConcurrentHashMap<>();
    private final ReplierProcess replier;
    private long lastNumber;

    private KafkaEcho(String bootstrap, EchoRequests template, ReplierProcess replier) {
        this.template = template;
        this.replier = replier;
        producer = KafkaClients.producer(bootstrap);
        replies =
                RecordLoop.start(
                        bootstrap,
                        REPLIES,
                        reply -> {
                            var answer = waiting.remove(EchoRequests.number(run, reply.key()));
                            if (answer != null) {
                                answer.arrived();
                            }
                        });
    }

    /**
     * Creates the topics, starts who answers and connects.
     *
     * @param partitions of both topics
     * @param flags of the JVM that answers, on top of those of a fleet's parts
     */
    public static KafkaEcho start(
            String bootstrap, int partitions, RecordKey user, ReplyShape shape, String flags)
            throws IOException, InterruptedException {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(
                            List.of(
                                    new NewTopic(REQUESTS, partitions, (short) 1),
                                    new NewTopic(REPLIES, partitions, (short) 1)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new IOException("The benchmark's topics could not be created", e);
        }
        var template = EchoRequests.of(user, "echo");
        var replier = ReplierProcess.start(flags, bootstrap, template.offset(), shape);
        return new KafkaEcho(bootstrap, template, replier);
    }

    @Override
    public void send(Answer answer) {
        long number = ++lastNumber;
        waiting.put(number, answer);
        var _ =
                producer.send(
                        new ProducerRecord<>(
                                REQUESTS, template.key(), template.request(run, number)));
    }

    /** The process that answers. */
    public long replierPid() {
        return replier.pid();
    }

    @Override
    public void close() {
        producer.close();
        replies.close();
        replier.close();
    }
}
