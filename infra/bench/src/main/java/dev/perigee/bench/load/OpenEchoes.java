package dev.perigee.bench.load;

import dev.perigee.protocol.topic.RecordKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Echoes that were sent to a topic of requests and have no answer yet, by the numbers in their ids.
 * As many as the load keeps in flight. Thread-safe.
 */
final class OpenEchoes implements AutoCloseable {
    private final String requests;
    private final String run = EchoRequests.newRun();
    private final AtomicLong lastNumber = new AtomicLong();
    private final Map<Long, EchoPath.Answer> waiting = new ConcurrentHashMap<>();
    private final KafkaProducer<byte[], byte[]> producer;

    OpenEchoes(String bootstrap, String requests) {
        this.requests = requests;
        this.producer = LoadClients.producer(bootstrap);
    }

    /** Requests of these users, in turn, each with its user's key, to the server of this slug. */
    EchoPath path(List<RecordKey> users, String serverSlug) {
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

    /** Who waits for the answer to this id, once; null for another run's. */
    EchoPath.@Nullable Answer ended(byte[] id) {
        return waiting.remove(EchoRequests.number(run, id));
    }

    @Override
    public void close() {
        producer.close();
    }
}
