package dev.perigee.gateway.outbound;

import dev.perigee.protocol.topic.NumberMap;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records of one topic that wait, by number. Beyond {@link #MOST_RECORDS} or {@link #MOST_BYTES}
 * the oldest of the key that has the most is to go, so that one that says much costs others
 * nothing. Pure, for one thread at a time.
 *
 * @param <T> what waits
 */
final class KeptRecords<T> {
    static final int MOST_RECORDS = 1_000;
    static final long MOST_BYTES = 4 << 20;

    private final NumberMap<Kept<T>> records = new NumberMap<>();
    private long bytes;

    private record Kept<T>(long number, int key, int bytes, T what) {}

    /** The size of a record's key and value, in bytes. */
    static int size(ProducerRecord<byte[], byte[]> record) {
        return length(record.key()) + length(record.value());
    }

    private static int length(byte @Nullable [] part) {
        return part == null ? 0 : part.length;
    }

    void put(long number, ProducerRecord<byte[], byte[]> record, T what) {
        int size = size(record);
        records.put(number, new Kept<>(number, Arrays.hashCode(record.key()), size, what));
        bytes += size;
    }

    boolean isEmpty() {
        return records.isEmpty();
    }

    /** Those that wait, in order. */
    List<T> all() {
        return records.values().stream().map(Kept::what).toList();
    }

    /** The one with the lowest number, which is taken out. */
    @Nullable T takeFirst() {
        return records.isEmpty() ? null : take(records.firstNumber());
    }

    /** One that is too many, which is taken out; null while there is room. */
    @Nullable T takeSurplus() {
        return records.size() > MOST_RECORDS || (bytes > MOST_BYTES && records.size() > 1)
                ? take(oldestOfTheBusiest())
                : null;
    }

    private T take(long number) {
        var taken = records.remove(number);
        if (taken == null) {
            throw new IllegalStateException("not there: " + number);
        }
        bytes -= taken.bytes();
        return taken.what();
    }

    private long oldestOfTheBusiest() {
        var sums = new HashMap<Integer, Long>();
        records.forEach((_, kept) -> sums.merge(kept.key(), weight(kept), Long::sum));
        int busiest =
                sums.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
        return records.values().stream()
                .filter(kept -> kept.key() == busiest)
                .findFirst()
                .orElseThrow()
                .number();
    }

    private static long weight(Kept<?> kept) {
        return kept.bytes() + MOST_BYTES / MOST_RECORDS;
    }
}
