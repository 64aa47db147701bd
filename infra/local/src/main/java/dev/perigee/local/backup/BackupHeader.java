package dev.perigee.local.backup;

import dev.perigee.local.recording.FileKind;
import dev.perigee.protocol.topic.Topic;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * First line of a backup.
 *
 * @param version of the format
 * @param perigee the version of Perigee that wrote it
 * @param cluster id of the Kafka cluster
 * @param prefix what the names of the fleet's topics begin with
 * @param begunAt when it was begun, by the clock of the machine that made it
 * @param partitions how many partitions each topic has of which the file has the records
 */
public record BackupHeader(
        int version,
        String perigee,
        String cluster,
        String prefix,
        Instant begunAt,
        SortedMap<Topic, Integer> partitions) {
    /** What this program writes, and the newest that it reads. */
    public static final int VERSION = 1;

    static final String FORMAT = "perigee-backup";

    static final FileKind KIND =
            new FileKind(
                    FORMAT,
                    "backup",
                    "perigee backup",
                    "take another one",
                    BackupException::usage,
                    BackupException::unavailable);

    public BackupHeader {
        partitions = Collections.unmodifiableSortedMap(new TreeMap<>(partitions));
    }
}
