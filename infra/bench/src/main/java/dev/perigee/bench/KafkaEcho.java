package dev.perigee.bench;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The least that any gateway over Kafka costs: a request topic, somebody who copies each record to
 * a reply topic, one hop each way.
 */
final class KafkaEcho implements EchoPath {
    private static final byte[] BODY = new byte[200];

    private final String requests;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaProducer<byte[], byte[]> replier;
    private final RecordLoop echo;
    private final RecordLoop replies;
    private final Map<Long, Answer> waiting = new ConcurrentHashMap<>();

    KafkaEcho(String bootstrap, String requests, String answers) {
        this.requests = requests;
        producer = KafkaClients.producer(bootstrap);
        replier = KafkaClients.producer(bootstrap);
        echo =
                RecordLoop.start(
                        bootstrap,
                        requests,
                        r -> {
                            var _ = replier.send(new ProducerRecord<>(answers, r.key(), r.value()));
                        });
        replies =
                RecordLoop.start(
                        bootstrap,
                        answers,
                        r -> {
                            var answer = waiting.remove(ByteBuffer.wrap(r.key()).getLong());
                            if (answer != null) {
                                answer.arrived();
                            }
                        });
    }

    @Override
    public void send(long id, Answer answer) {
        waiting.put(id, answer);
        var key = ByteBuffer.allocate(Long.BYTES).putLong(id).array();
        var _ = producer.send(new ProducerRecord<>(requests, key, BODY));
    }

    @Override
    public void close() {
        producer.close();
        echo.close();
        replier.close();
        replies.close();
    }
}
