package dev.perigee.local.backup;

import dev.perigee.local.backup.StateRecordNames.Kind;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Contents of a backup that is known to be whole.
 *
 * @param records by topic, without prefix
 * @param instances how many are installed
 * @param running commands that had not ended
 */
public record BackupContents(
        BackupHeader header, Map<String, Long> records, long instances, long running) {
    public BackupContents {
        records = Collections.unmodifiableMap(new TreeMap<>(records));
    }

    /**
     * Reads a file to its end; holds one record.
     *
     * @throws BackupException when it is not whole
     */
    public static BackupContents of(Path file) {
        var tally = new RestoreTally(false);
        var records = new TreeMap<String, Long>();
        var read =
                BackupReader.verify(
                        file,
                        record -> {
                            var _ = tally.take(record);
                            records.merge(record.topic().suffix(), 1L, Long::sum);
                        });
        return new BackupContents(
                read.header(),
                records,
                tally.of(Kind.INSTANCE),
                tally.of(Kind.RUNNING_COMMAND) + tally.of(Kind.BROADCAST));
    }
}
