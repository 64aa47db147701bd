package dev.perigee.gateway;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** Memory limits of the Kafka clients, derived from the heap of this process. Sizes in bytes. */
final class Heap {
    private static final long LEAST_FETCH = 64 << 10;
    private static final long USUAL_FETCH = 1 << 20;
    private static final long MOST_FETCHED = ConsumerConfig.DEFAULT_FETCH_MAX_BYTES;

    private Heap() {}

    /** One part in so many of it, within limits. */
    static long part(int parts, long least, long most) {
        return Math.clamp(Runtime.getRuntime().maxMemory() / parts, least, most);
    }

    /**
     * What a consumer of the two topics that come in may fetch ahead: of all partitions together no
     * more than what may be taken in.
     *
     * @param intake memory of what was read and not looked at
     */
    static Map<String, Object> fetches(long intake, int partitions) {
        return Map.of(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                (int) Math.clamp(intake / partitions / 2, LEAST_FETCH, USUAL_FETCH),
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                (int) Math.clamp(intake, USUAL_FETCH, MOST_FETCHED));
    }
}
