package dev.perigee.client;

import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;

/**
 * Consumer of topics as a member of a group, at least once: each poll commits what the one before
 * returned. For one thread.
 */
final class GroupTail implements RecordSource {
    private final KafkaConnection connection;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private boolean handedOut;

    GroupTail(KafkaConnection connection, String group, Set<Topic> topics) {
        this.connection = connection;
        try {
            consumer = connection.consumer(Map.of("group.id", group));
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
        consumer.subscribe(topics.stream().map(connection::name).toList());
    }

    @Override
    public List<ConsumerRecord<byte[], byte[]>> poll(Duration wait) {
        try {
            if (handedOut) {
                consumer.commitSync(KafkaConnection.PATIENCE);
                handedOut = false;
            }
            var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
            consumer.poll(wait).forEach(records::add);
            handedOut = !records.isEmpty();
            return records;
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
