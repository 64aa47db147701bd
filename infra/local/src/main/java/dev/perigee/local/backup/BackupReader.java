package dev.perigee.local.backup;

import dev.perigee.local.backup.BackupLines.InvalidLineException;
import dev.perigee.local.backup.BackupLines.Section;
import dev.perigee.local.recording.CheckedLinesReader;
import dev.perigee.protocol.topic.Topic;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reader of a backup from its begin to its end, one record at a time. Only at the end it is known
 * that the file is whole: whoever acts on records reads it once before, by {@link #verify}. For one
 * thread.
 */
public final class BackupReader implements AutoCloseable {
    private final CheckedLinesReader lines;
    private final BackupHeader header;
    private final Map<Topic, BitSet> sections = new EnumMap<>(Topic.class);
    private @Nullable Section section;

    /**
     * Opens a file.
     *
     * @throws BackupException when it is none that {@code perigee backup} of this version or an
     *     older one wrote
     */
    public BackupReader(Path file) {
        this.lines = new CheckedLinesReader(file, BackupHeader.KIND);
        try {
            this.header = header(file);
        } catch (BackupException e) {
            close();
            throw e;
        } catch (InvalidLineException e) {
            close();
            throw lines.foreign();
        }
    }

    private BackupHeader header(Path file) throws InvalidLineException {
        var line = lines.header();
        if (line.path("version").asInt(0) > BackupHeader.VERSION) {
            throw newer(file, line);
        }
        var read = BackupLines.header(line);
        if (!read.partitions().containsKey(Topic.STATE)) {
            throw new InvalidLineException("it has no state");
        }
        return read;
    }

    /**
     * Reads a file to its end, so that it is known to be whole.
     *
     * @param record called with each record
     * @throws BackupException when it is cut off, damaged or something else
     */
    public static BackupReader verify(Path file, Consumer<BackupRecord> record) {
        try (var reader = new BackupReader(file)) {
            for (var each = reader.next(); each != null; each = reader.next()) {
                record.accept(each);
            }
            return reader;
        }
    }

    public BackupHeader header() {
        return header;
    }

    /** Records returned so far. */
    public long records() {
        return lines.records();
    }

    /**
     * The next record, null at the end.
     *
     * @throws BackupException when the file is cut off or damaged
     */
    public @Nullable BackupRecord next() {
        for (var line = lines.next(); line != null; line = lines.next()) {
            var record = record(line);
            if (record != null) {
                lines.count();
                return record;
            }
        }
        if (!hasAllPartitions()) {
            throw lines.damaged();
        }
        return null;
    }

    /** The record of a line, null where it begins a partition. */
    private @Nullable BackupRecord record(JsonNode line) {
        try {
            var begun = BackupLines.section(line);
            if (begun != null) {
                begin(begun);
                return null;
            }
            if (section == null) {
                throw lines.damaged();
            }
            return BackupLines.record(section, line);
        } catch (InvalidLineException e) {
            throw lines.damaged();
        }
    }

    private void begin(Section begun) {
        int count = header.partitions().getOrDefault(begun.topic(), 0);
        var seen = sections.computeIfAbsent(begun.topic(), _ -> new BitSet());
        if (begun.partition() < 0 || begun.partition() >= count || seen.get(begun.partition())) {
            throw lines.damaged();
        }
        seen.set(begun.partition());
        section = begun;
    }

    private boolean hasAllPartitions() {
        return header.partitions().entrySet().stream()
                .allMatch(
                        each -> {
                            var seen = sections.get(each.getKey());
                            int count = seen == null ? 0 : seen.cardinality();
                            return count == each.getValue();
                        });
    }

    private static BackupException newer(Path file, JsonNode line) {
        return BackupException.usage(
                "%s has version %d of the format, by Perigee %s; this one knows %d: restore it with that version"
                        .formatted(
                                file,
                                line.path("version").asInt(0),
                                line.path("perigee").asString("unknown"),
                                BackupHeader.VERSION));
    }

    @Override
    public void close() {
        lines.close();
    }
}
