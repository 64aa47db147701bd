package dev.perigee.local.behaviour;

import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingReader;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is held of one recording. */
record Side(
        RecordingHeader header,
        Catalogues catalogues,
        Statuses statuses,
        Map<String, Long> skipped) {
    Side {
        skipped = Map.copyOf(skipped);
    }

    /** Reads a recording; its calls go to the spill. */
    static Side read(Path file, Path folder, String name, int parts, Spill pairs) {
        var catalogues = new Catalogues();
        var statuses = new Statuses();
        try (var reader = new RecordingReader(file);
                var calls = new Calls(folder, name, parts, since(reader.header()))) {
            for (var record = reader.next(); record != null; record = reader.next()) {
                calls.add(record);
                catalogues.add(record);
                statuses.add(record);
            }
            calls.into(pairs, name);
            return new Side(reader.header(), catalogues, statuses, reader.unknown());
        }
    }

    private static @Nullable Long since(RecordingHeader header) {
        return header.since() == null ? null : header.since().toEpochMilli();
    }
}
