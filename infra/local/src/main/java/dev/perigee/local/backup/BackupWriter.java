package dev.perigee.local.backup;

import dev.perigee.local.recording.CheckedLinesWriter;
import java.nio.file.Path;

/** Writer of a backup; what has the name is complete. For one thread. */
final class BackupWriter implements AutoCloseable {
    private final CheckedLinesWriter lines;
    private long records;

    /**
     * Begins a file.
     *
     * @throws BackupException when there is one of this name, or none can be written
     */
    BackupWriter(Path file, BackupHeader header) {
        this.lines = new CheckedLinesWriter(file, BackupHeader.KIND, BackupLines.header(header));
    }

    /** Begins a partition; its records follow. */
    void begin(BackupLines.Section section) {
        lines.write(BackupLines.section(section));
    }

    /** Appends a record, as {@link BackupLines#record(BackupRecord)} has made a line of it. */
    void record(byte[] line) {
        records++;
        lines.write(line);
    }

    /** Writes the end and gives the file its name. */
    void finish() {
        lines.finish(records);
    }

    /** Bytes on disk until now. */
    long bytes() {
        return lines.bytes();
    }

    /** Removes what is unfinished. */
    @Override
    public void close() {
        lines.close();
    }
}
