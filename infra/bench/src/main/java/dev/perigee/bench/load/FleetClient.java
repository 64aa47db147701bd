package dev.perigee.bench.load;

import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Calls through a running fleet, as a backend makes them: a producer and a consumer for all. */
public final class FleetClient implements AutoCloseable {
    private static final String SUCCESS = "\"outcome\":\"success\"";

    private final String requests;
    private final String run = EchoRequests.newRun();
    private final AtomicLong lastNumber = new AtomicLong();
    private final Map<Long, EchoPath.Answer> waiting = new ConcurrentHashMap<>();
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordLoop results;
    private volatile @Nullable ReplyShape shape;

    private FleetClient(String bootstrap, TopicNames topics) {
        this.requests = topics.of(Topic.TOOL_REQUESTS);
        this.producer = KafkaClients.producer(bootstrap);
        this.results = RecordLoop.start(bootstrap, topics.of(Topic.TOOL_RESULTS), this::result);
    }

    /** Connects, and returns when results that are produced from now on are seen. */
    public static FleetClient connect(String bootstrap, TopicNames topics) {
        return new FleetClient(bootstrap, topics);
    }

    /** Calls of these users, in turn, each to the server of this slug that is their own. */
    public EchoPath path(List<RecordKey> users, String serverSlug) {
        var templates = EchoRequests.of(users, serverSlug);
        return answer -> {
            long number = lastNumber.incrementAndGet();
            waiting.put(number, answer);
            var template = templates.get((int) (number % templates.size()));
            var _ =
                    producer.send(
                            new ProducerRecord<>(
                                    requests, template.key(), template.request(run, number)));
        };
    }

    /**
     * The form of the last result.
     *
     * @throws IllegalStateException when there was none yet
     */
    public ReplyShape shape() {
        var last = shape;
        if (last == null) {
            throw new IllegalStateException("No result has come yet");
        }
        return last;
    }

    private void result(ConsumerRecord<byte[], byte[]> result) {
        var answer = waiting.remove(EchoRequests.number(run, result.key()));
        if (answer == null) {
            return;
        }
        if (shape == null) {
            shape = ReplyShape.of(result);
        }
        var value = new String(result.value(), StandardCharsets.ISO_8859_1);
        if (value.contains(SUCCESS)) {
            answer.arrived();
        } else {
            answer.failed(value);
        }
    }

    @Override
    public void close() {
        producer.close();
        results.close();
    }
}
