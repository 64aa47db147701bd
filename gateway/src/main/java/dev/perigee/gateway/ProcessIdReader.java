package dev.perigee.gateway;

import dev.perigee.gateway.inbound.TopicFollower;
import dev.perigee.gateway.partition.ProcessIdOwners;
import dev.perigee.protocol.event.Event;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads from the topic of statuses who has which process id. For one thread. */
final class ProcessIdReader implements TopicFollower.Reader {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessIdReader.class);

    private final String topic;
    private final ProcessIdOwners owners;
    private boolean failing;

    ProcessIdReader(String topic, ProcessIdOwners owners) {
        this.topic = topic;
        this.owners = owners;
    }

    @Override
    public Map<TopicPartition, Long> starts(Consumer<byte[], byte[]> consumer) {
        return consumer.beginningOffsets(
                consumer.partitionsFor(topic).stream()
                        .map(info -> new TopicPartition(info.topic(), info.partition()))
                        .toList());
    }

    @Override
    public void take(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null) {
            return;
        }
        var processId = new String(record.key(), StandardCharsets.UTF_8);
        if (record.value() == null) {
            owners.gone(processId);
            return;
        }
        try {
            var origin = Event.read(record.value()).origin();
            if (origin.processId().equals(processId)) {
                owners.seen(processId, origin.teamId(), origin.userId());
            }
        } catch (RuntimeException e) {
            // Anybody may have written it: a field that is missing must not end the reader.
            LOG.atDebug().addKeyValue("offset", record.offset()).setCause(e).log("Not a status");
        }
    }

    @Override
    public void caughtUp() {}

    @Override
    public void problem(@Nullable KafkaException problem) {
        if (problem != null && !failing) {
            LOG.atWarn()
                    .addKeyValue("topic", topic)
                    .setCause(problem)
                    .log(
                            "Cannot read who has which process id, so that two users could get the same one: give the gateway the right to read the topic");
        }
        failing = problem != null;
    }
}
