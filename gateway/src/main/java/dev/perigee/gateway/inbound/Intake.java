package dev.perigee.gateway.inbound;

import dev.perigee.protocol.limit.ByteBudget;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Memory budget of a gateway for records that were polled from Kafka and not yet taken by their
 * owners, over all its partitions. Sizes are those of values, in bytes.
 *
 * <p>A poll takes records as long as there is room, and the first one in any case. The values of
 * the others are not even copied: the poll loop reads them again later. A partition with untaken
 * records is paused while nothing is left; one without may have one, so that an owner that does not
 * take its records, as while its state cannot be read, does not stall others.
 */
public final class Intake {
    /** In place of a value for which there was no room. */
    private static final byte[] LEFT = new byte[0];

    private final ByteBudget budget;
    private long roomOfPoll;
    private boolean first;

    /** The sole user of a budget. */
    public Intake(ByteBudget budget) {
        this.budget = budget;
    }

    /** How much may be taken, and how much is. */
    public ByteBudget budget() {
        return budget;
    }

    /** For the values of the consumer that the poll loop has. */
    public Deserializer<byte[]> values() {
        return new Values();
    }

    /** A poll begins; for the poll thread, as is the deserializer. */
    void begin() {
        roomOfPoll = budget.limit() - budget.used();
        first = true;
    }

    /** Where those begin that there was no room for and that are to be read again; or -1. */
    @SuppressWarnings("ReferenceEquality") // No other empty value is meant.
    static int firstLeft(List<ConsumerRecord<byte[], byte[]>> records) {
        for (int i = 0; i < records.size(); i++) {
            if (records.get(i).value() == LEFT) {
                return i;
            }
        }
        return -1;
    }

    /** What a record takes. */
    static int size(ConsumerRecord<byte[], byte[]> record) {
        return Math.max(0, record.serializedValueSize());
    }

    /** What one partition's feed has of the memory. */
    Share share() {
        return new Share();
    }

    private boolean hasRoom(int bytes) {
        if (!first && bytes > roomOfPoll) {
            return false;
        }
        first = false;
        roomOfPoll -= bytes;
        return true;
    }

    /** The records of one feed that its owner has not looked at. Thread-safe. */
    final class Share {
        private long unread;
        private boolean closed;

        synchronized void take(long bytes) {
            if (!closed) {
                unread += bytes;
                budget.take(bytes);
            }
        }

        /** Without effect once all was given back. */
        synchronized void give(long bytes) {
            if (!closed) {
                unread -= bytes;
                budget.give(bytes);
            }
        }

        /** Gives back what is left, for good. */
        synchronized void close() {
            if (!closed) {
                closed = true;
                budget.give(unread);
                unread = 0;
            }
        }

        /** Whether more may be read for this feed. */
        synchronized boolean mayRead() {
            return unread == 0 || !budget.exhausted();
        }
    }

    private final class Values implements Deserializer<byte[]> {
        @Override
        public byte @Nullable [] deserialize(String topic, byte @Nullable [] data) {
            if (data == null) {
                return null;
            }
            return hasRoom(data.length) ? data : LEFT;
        }

        @Override
        public byte @Nullable [] deserialize(
                String topic, Headers headers, @Nullable ByteBuffer data) {
            if (data == null) {
                return null;
            }
            if (!hasRoom(data.remaining())) {
                return LEFT;
            }
            var value = new byte[data.remaining()];
            data.duplicate().get(value);
            return value;
        }
    }
}
