package dev.perigee.gateway.deadletter;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Dead letters in memory, returned at once. For one thread. */
final class ListedTail implements LetterTopic.Tail {
    private final List<ConsumerRecord<byte[], byte[]>> records;
    private boolean returned;

    ListedTail(List<ConsumerRecord<byte[], byte[]>> records) {
        this.records = List.copyOf(records);
    }

    @Override
    public List<ConsumerRecord<byte[], byte[]>> poll(Duration wait) {
        returned = true;
        return records;
    }

    @Override
    public boolean hasCaughtUp() {
        return returned;
    }

    @Override
    public void close() {}
}
