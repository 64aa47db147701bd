package dev.perigee.local.erase;

import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.clients.admin.Config;
import org.jspecify.annotations.Nullable;

/**
 * Time for which brokers keep a topic's records, of themselves.
 *
 * @param deletes whether records go with time
 * @param compacts whether records go that a later one of their key replaced
 * @param retention how long records are kept at least; null for ever
 * @param segment longest time for which a segment is written to: a record goes with its segment
 * @param compactionLag longest time before a replaced record is compacted; null where none is set
 */
public record Lifetime(
        boolean deletes,
        boolean compacts,
        @Nullable Duration retention,
        Duration segment,
        @Nullable Duration compactionLag) {
    /** Brokers look every five minutes, and delete files a minute later. */
    private static final Duration LOOKS = Duration.ofMinutes(10);

    /** Beyond it a time is none. */
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    static Lifetime of(Config config) {
        var policy = value(config, "cleanup.policy");
        var segment = time(config, "segment.ms");
        return new Lifetime(
                policy.contains("delete"),
                policy.contains("compact"),
                time(config, "retention.ms"),
                segment == null ? FOR_EVER : segment,
                time(config, "max.compaction.lag.ms"));
    }

    /** By when all records are gone, the newest of which is of that time; null for never. */
    public @Nullable Instant goneBy(Instant newest) {
        return deletes && retention != null
                ? newest.plus(retention).plus(segment).plus(LOOKS)
                : null;
    }

    /**
     * By when records that were replaced are compacted; null where no time is set. Their partition
     * must still be written to.
     */
    public @Nullable Instant compactedBy(Instant replaced) {
        return compacts && compactionLag != null ? replaced.plus(compactionLag).plus(LOOKS) : null;
    }

    private static @Nullable Duration time(Config config, String name) {
        var text = value(config, name);
        long millis = text.isEmpty() ? -1 : Long.parseLong(text);
        return millis < 0 || millis > FOR_EVER.toMillis() ? null : Duration.ofMillis(millis);
    }

    private static String value(Config config, String name) {
        var entry = config.get(name);
        return entry == null || entry.value() == null ? "" : entry.value();
    }
}
