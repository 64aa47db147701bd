package dev.perigee.client;

import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/**
 * Writer of audit records. Any thread; each call blocks for some times {@link
 * KafkaConnection#PATIENCE} at most.
 */
public final class AuditTrail {
    private final KafkaConnection connection;

    public AuditTrail(KafkaConnection connection) {
        this.connection = connection;
    }

    /**
     * Returns when the broker has all of these; writes nothing where the fleet has no audit topic.
     *
     * @return whether there is one
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws KafkaRefusedException when a broker refuses, such as for want of rights
     */
    public boolean write(List<AuditRecord> records) throws InterruptedException {
        if (!isKept()) {
            return false;
        }
        var patience = (int) KafkaConnection.PATIENCE.toMillis();
        try (var producer =
                connection.producer(
                        Map.of(
                                "acks",
                                "all",
                                "linger.ms",
                                0,
                                "max.block.ms",
                                patience,
                                "delivery.timeout.ms",
                                patience))) {
            var sent = new ArrayList<Future<RecordMetadata>>();
            for (var record : records) {
                sent.add(producer.send(kafkaRecord(record)));
            }
            for (var each : sent) {
                var _ = each.get(2 * KafkaConnection.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            return true;
        } catch (ExecutionException | KafkaException | TimeoutException e) {
            throw connection.explained(e);
        }
    }

    /** A producer would make the topic where brokers do that by themselves, or wait in vain. */
    private boolean isKept() {
        try (var consumer = connection.consumer(Map.of())) {
            var known = consumer.partitionsFor(connection.name(Topic.AUDIT));
            return known != null && !known.isEmpty();
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    private ProducerRecord<byte[], byte[]> kafkaRecord(AuditRecord audit) {
        var record =
                new ProducerRecord<>(
                        connection.name(Topic.AUDIT),
                        audit.actionId().getBytes(StandardCharsets.UTF_8),
                        Json.write(audit));
        audit.headers()
                .forEach(
                        (name, text) ->
                                record.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
        return record;
    }
}
