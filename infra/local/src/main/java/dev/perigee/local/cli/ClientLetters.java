package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.TopicTail;
import dev.perigee.gateway.deadletter.LetterBox;
import dev.perigee.gateway.deadletter.LetterTopic;
import dev.perigee.gateway.deadletter.Redrive;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Dead letters as the command line reads them, with the errors of its client. */
record ClientLetters(KafkaConnection connection) implements LetterTopic {
    LetterBox box() {
        return new LetterBox(this);
    }

    /**
     * Begins a run and ends any other. Letters must be read after this.
     *
     * @throws dev.perigee.client.BrokerUnreachableException when no broker answers
     */
    Redrive redrive() {
        try {
            return Redrive.begin(
                    connection.producer(Redrive.config(connection.names())), connection.names());
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    @Override
    public Tail since(@Nullable Instant time) {
        return open(
                time == null ? new TopicTail.Start.Beginning() : new TopicTail.Start.Since(time));
    }

    @Override
    public Tail at(Map<TopicPartition, Long> offsets) {
        return open(new TopicTail.Start.At(offsets));
    }

    private Tail open(TopicTail.Start start) {
        return new Opened(TopicTail.open(connection, start, Topic.DEAD_LETTERS));
    }

    private record Opened(TopicTail tail) implements Tail {
        @Override
        public List<ConsumerRecord<byte[], byte[]>> poll(Duration wait) {
            return tail.poll(wait);
        }

        @Override
        public boolean hasCaughtUp() {
            return tail.hasCaughtUp();
        }

        @Override
        public void close() {
            tail.close();
        }
    }
}
