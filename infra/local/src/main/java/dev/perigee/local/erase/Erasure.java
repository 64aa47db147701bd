package dev.perigee.local.erase;

import dev.perigee.client.KafkaConnection;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;

/** Questions to brokers about topics, and tombstones for them. Waits seconds for each. */
public final class Erasure {
    private final KafkaConnection connection;

    public Erasure(KafkaConnection connection) {
        this.connection = connection;
    }

    /**
     * What brokers do to each topic's records.
     *
     * @throws dev.perigee.client.BrokerUnreachableException when no broker answers
     * @throws dev.perigee.client.KafkaRefusedException when it may not be asked
     */
    public Map<Topic, Lifetime> lifetimes(List<Holding> holdings) throws InterruptedException {
        var resources = new HashMap<ConfigResource, Topic>();
        holdings.forEach(
                each ->
                        resources.put(
                                new ConfigResource(
                                        ConfigResource.Type.TOPIC, connection.name(each.topic())),
                                each.topic()));
        var lifetimes = new EnumMap<Topic, Lifetime>(Topic.class);
        try (var admin = Admin.create(connection.clientConfig(Map.of()))) {
            var configs =
                    admin.describeConfigs(resources.keySet())
                            .all()
                            .get(2 * KafkaConnection.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            resources.forEach(
                    (resource, topic) ->
                            lifetimes.put(
                                    topic,
                                    Lifetime.of(Objects.requireNonNull(configs.get(resource)))));
        } catch (KafkaException | ExecutionException | TimeoutException e) {
            throw connection.explained(e);
        }
        return lifetimes;
    }

    /**
     * Writes a tombstone for each current record that was there before and is still. One that is
     * newer is left: somebody has installed for the user since.
     *
     * @return how many were written
     */
    public int bury(List<Holding> before, List<Holding> now) throws InterruptedException {
        var old = new HashSet<Map.Entry<Topic, Holding.Current>>();
        before.forEach(each -> each.current().forEach(it -> old.add(Map.entry(each.topic(), it))));
        var tombstones = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var holding : now) {
            for (var each : holding.current()) {
                if (old.contains(Map.entry(holding.topic(), each))) {
                    tombstones.add(tombstone(holding.topic(), each));
                }
            }
        }
        write(tombstones);
        return tombstones.size();
    }

    private ProducerRecord<byte[], byte[]> tombstone(Topic topic, Holding.Current current) {
        return new ProducerRecord<>(
                connection.name(topic),
                current.partition(),
                current.key().getBytes(StandardCharsets.UTF_8),
                null);
    }

    private void write(List<ProducerRecord<byte[], byte[]>> records) throws InterruptedException {
        if (records.isEmpty()) {
            return;
        }
        int patience = (int) KafkaConnection.PATIENCE.toMillis();
        try (var producer =
                connection.producer(
                        Map.of(
                                "linger.ms", 0,
                                "max.block.ms", patience,
                                "delivery.timeout.ms", patience))) {
            var sent = new ArrayList<Future<RecordMetadata>>();
            records.forEach(record -> sent.add(producer.send(record)));
            for (var each : sent) {
                each.get(2 * KafkaConnection.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } catch (KafkaException | ExecutionException | TimeoutException e) {
            throw connection.explained(e);
        }
    }
}
