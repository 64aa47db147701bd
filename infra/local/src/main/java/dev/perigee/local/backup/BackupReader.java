package dev.perigee.local.backup;

import dev.perigee.local.backup.BackupLines.InvalidLineException;
import dev.perigee.local.backup.BackupLines.Section;
import dev.perigee.local.recording.LineReader;
import dev.perigee.local.recording.RecordingJson;
import dev.perigee.local.recording.Sha256;
import dev.perigee.protocol.topic.Topic;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Reader of a backup from its begin to its end, one record at a time. Only at the end it is known
 * that the file is whole: whoever acts on records reads it once before, by {@link #verify}. For one
 * thread.
 */
public final class BackupReader implements AutoCloseable {
    private final Path file;
    private final LineReader lines;
    private final MessageDigest digest = Sha256.begin();
    private final BackupHeader header;
    private final Map<Topic, BitSet> sections = new EnumMap<>(Topic.class);
    private @Nullable Section section;
    private long records;
    private boolean opened;
    private boolean ended;

    /**
     * Opens a file.
     *
     * @throws BackupException when it is none that {@code perigee backup} of this version or an
     *     older one wrote
     */
    public BackupReader(Path file) {
        this.file = file;
        if (!Files.isRegularFile(file)) {
            throw BackupException.usage(file + " is not there: make it with 'perigee backup'");
        }
        try {
            var input = Files.newInputStream(file);
            try {
                this.lines = new LineReader(new GZIPInputStream(input, 64 << 10));
            } catch (IOException e) {
                input.close();
                throw e;
            }
        } catch (ZipException | EOFException e) {
            throw foreign();
        } catch (IOException e) {
            throw BackupException.unavailable(file + " cannot be read: " + e.getMessage());
        }
        boolean understood = false;
        try {
            this.header = readHeader();
            understood = true;
        } finally {
            if (!understood) {
                close();
            }
        }
        this.opened = true;
    }

    private BackupHeader readHeader() {
        var line = line();
        if (line == null || !BackupLines.isHeader(line)) {
            throw foreign();
        }
        if (line.path("version").asInt(0) > BackupHeader.VERSION) {
            throw newer(line);
        }
        try {
            var read = BackupLines.header(line);
            if (!read.partitions().containsKey(Topic.STATE)) {
                throw foreign();
            }
            return read;
        } catch (InvalidLineException e) {
            throw foreign();
        }
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
        return records;
    }

    /**
     * The next record, null at the end.
     *
     * @throws BackupException when the file is cut off or damaged
     */
    public @Nullable BackupRecord next() {
        while (!ended) {
            var line = line();
            if (line == null) {
                throw cut();
            }
            if (line.path("end").isObject()) {
                end(line.path("end"));
                return null;
            }
            var record = record(line);
            if (record != null) {
                records++;
                return record;
            }
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
                throw damaged();
            }
            return BackupLines.record(section, line);
        } catch (InvalidLineException e) {
            throw damaged();
        }
    }

    private void begin(Section begun) {
        int count = header.partitions().getOrDefault(begun.topic(), 0);
        var seen = sections.computeIfAbsent(begun.topic(), _ -> new BitSet());
        if (begun.partition() < 0 || begun.partition() >= count || seen.get(begun.partition())) {
            throw damaged();
        }
        seen.set(begun.partition());
        section = begun;
    }

    private void end(JsonNode end) {
        ended = true;
        var sum = HexFormat.of().formatHex(digest.digest());
        if (!sum.equals(end.path("sha256").asString(""))
                || records != end.path("records").asLong(-1)
                || !hasAllPartitions()) {
            throw damaged();
        }
        try {
            if (lines.next() != null) {
                throw damaged();
            }
        } catch (EOFException e) {
            throw cut();
        } catch (IOException e) {
            throw damaged();
        }
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

    private @Nullable JsonNode line() {
        try {
            var bytes = lines.next();
            if (bytes == null) {
                return null;
            }
            var line = RecordingJson.MAPPER.readTree(bytes);
            if (!line.path("end").isObject()) {
                digest.update(bytes);
                digest.update((byte) '\n');
            }
            return line;
        } catch (EOFException e) {
            throw cut();
        } catch (IOException | JacksonException e) {
            throw opened ? damaged() : foreign();
        }
    }

    private BackupException foreign() {
        return BackupException.usage(
                file
                        + " is no backup, or its begin is damaged: name a file that 'perigee backup'"
                        + " wrote");
    }

    private BackupException newer(JsonNode line) {
        return BackupException.usage(
                "%s has version %d of the format, by Perigee %s; this one knows %d: restore it with that version"
                        .formatted(
                                file,
                                line.path("version").asInt(0),
                                line.path("perigee").asString("unknown"),
                                BackupHeader.VERSION));
    }

    private BackupException cut() {
        return BackupException.usage(
                file
                        + " is cut off behind record "
                        + records
                        + ": copy it again from where it was made, or take another one");
    }

    private BackupException damaged() {
        return BackupException.usage(
                file
                        + " is damaged (seen at record "
                        + records
                        + "): copy it again from where it was made, or take another one");
    }

    @Override
    public void close() {
        try {
            lines.close();
        } catch (IOException e) {
            // Only read: nothing is lost.
        }
    }
}
