package dev.perigee.local.backup;

import dev.perigee.local.backup.StateRecordNames.Kind;
import dev.perigee.protocol.topic.Topic;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decision which records of a backup are written, and count of both kinds. What only held in the
 * cluster of before is left out: claims, whose offsets were the epochs there, and commands that
 * were running, which nobody would end. Pure; for one thread.
 */
final class RestoreTally {
    private final boolean withoutHosts;
    private final SortedMap<Topic, Long> written = new TreeMap<>();
    private final Map<Kind, Long> kinds = new EnumMap<>(Kind.class);

    /**
     * @param withoutHosts leaves out which worker had each partition
     */
    RestoreTally(boolean withoutHosts) {
        this.withoutHosts = withoutHosts;
    }

    /** Counts a record; whether it is to be written. */
    boolean take(BackupRecord record) {
        var kind =
                record.topic() == Topic.STATE
                        ? StateRecordNames.kind(record.name(), record.value())
                        : Kind.OTHER;
        kinds.merge(kind, 1L, Long::sum);
        boolean writes =
                switch (kind) {
                    case CLAIM, RUNNING_COMMAND, BROADCAST -> false;
                    case HOST -> !withoutHosts;
                    case INSTANCE, ENDED_COMMAND, OTHER -> true;
                };
        if (writes) {
            written.merge(record.topic(), 1L, Long::sum);
        }
        return writes;
    }

    /** How many records are written, by topic. */
    SortedMap<Topic, Long> written() {
        return Collections.unmodifiableSortedMap(written);
    }

    /** How many there are of a kind, written or not. */
    long of(Kind kind) {
        return kinds.getOrDefault(kind, 0L);
    }
}
