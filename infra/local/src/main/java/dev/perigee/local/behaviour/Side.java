package dev.perigee.local.behaviour;

import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingReader;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Catalogues and statuses of one recording, in memory; its calls are in files. */
record Side(
        RecordingHeader header,
        RecordedTools catalogues,
        Statuses statuses,
        Map<String, Long> skipped) {
    Side {
        skipped = Map.copyOf(skipped);
    }

    private static final String REPLAY_OF = "perigee-replay-of";

    /**
     * Reads a recording; its calls go to the spill.
     *
     * @param isOriginal the other recording is a replay of this one
     */
    static Side read(
            Path file, Path folder, String name, int parts, boolean isOriginal, Spill pairs) {
        var catalogues = new RecordedTools();
        var statuses = new Statuses();
        try (var reader = new RecordingReader(file);
                var calls = new Calls(folder, name, parts, isOriginal, since(reader.header()))) {
            for (var record = reader.next(); record != null; record = reader.next()) {
                calls.add(record);
                catalogues.add(record);
                statuses.add(record);
            }
            calls.into(pairs, name);
            return new Side(reader.header(), catalogues, statuses, reader.unknown());
        }
    }

    /**
     * Whether what a recording has was copied from the fleet of another: its first copy says so.
     */
    static boolean isReplay(Path file, RecordingHeader original) {
        try (var reader = new RecordingReader(file)) {
            for (var record = reader.next(); record != null; record = reader.next()) {
                var of = record.headers().get(REPLAY_OF);
                if (of != null) {
                    return of.startsWith(original.source());
                }
            }
            return false;
        }
    }

    private static @Nullable Long since(RecordingHeader header) {
        return header.since() == null ? null : header.since().toEpochMilli();
    }
}
