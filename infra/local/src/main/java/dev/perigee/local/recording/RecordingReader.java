package dev.perigee.local.recording;

import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads a recording from its begin to its end, one record at a time. What it does not know, of a
 * newer version or an older one, it skips and counts. Only at the end it is known that the file is
 * whole: whoever acts on records reads it once before, by {@link #verify}. For one thread.
 */
public final class RecordingReader implements AutoCloseable {
    private static final Map<String, Topic> TOPICS =
            Arrays.stream(Topic.values())
                    .collect(Collectors.toUnmodifiableMap(Topic::suffix, Function.identity()));

    private static final int MOST_UNKNOWN = 100;

    private final CheckedLinesReader lines;
    private final RecordingHeader header;
    private final Map<String, Long> unknown = new TreeMap<>();
    private long records;

    /**
     * Opens a file.
     *
     * @throws RecordingException when it is none that {@code perigee recording make} wrote
     */
    public RecordingReader(Path file) {
        this.lines = new CheckedLinesReader(file, RecordingHeader.KIND);
        try {
            this.header = header(lines.header());
        } catch (DateTimeException e) {
            close();
            throw lines.foreign();
        }
    }

    /** Whether a file is compressed as recordings are, which no text is. */
    public static boolean looksLikeOne(Path file) {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        try (var input = Files.newInputStream(file)) {
            var begin = input.readNBytes(2);
            return begin.length == 2 && begin[0] == 0x1f && begin[1] == (byte) 0x8b;
        } catch (IOException e) {
            return false;
        }
    }

    private static RecordingHeader header(JsonNode line) {
        var since = line.path("since").asString(null);
        return new RecordingHeader(
                line.path("version").asInt(0),
                line.path("perigee").asString("unknown"),
                line.path("source").asString("unknown"),
                line.path("partitions").asInt(1),
                since == null ? null : Instant.parse(since),
                Instant.parse(line.path("until").asString("1970-01-01T00:00:00Z")),
                Instant.parse(line.path("recorded_at").asString("1970-01-01T00:00:00Z")));
    }

    public RecordingHeader header() {
        return header;
    }

    /** What was skipped so far, by kind, and how often. */
    public Map<String, Long> unknown() {
        return Map.copyOf(unknown);
    }

    /** Bytes of lines read so far, unpacked. */
    public long bytes() {
        return lines.bytes();
    }

    /** The checksum of all records, once the end was read; empty before. */
    public String sha256() {
        return lines.sha256();
    }

    /** Records returned so far. */
    public long records() {
        return records;
    }

    /**
     * The next record, null at the end.
     *
     * @throws RecordingException when the file is cut off or damaged
     */
    public @Nullable RecordedRecord next() {
        for (var line = lines.next(); line != null; line = lines.next()) {
            lines.count();
            var record = record(line);
            if (record != null) {
                records++;
                return record;
            }
        }
        return null;
    }

    private @Nullable RecordedRecord record(JsonNode line) {
        var name = line.path("topic").asString(null);
        if (name == null) {
            skipped("line of an unknown kind");
            return null;
        }
        var topic = TOPICS.get(name);
        if (topic == null) {
            skipped("topic " + name);
            return null;
        }
        if (!line.path("at").isIntegralNumber() || !line.has("value")) {
            skipped("record of " + name + " in an unknown form");
            return null;
        }
        var headers = new HashMap<String, String>();
        line.path("headers")
                .properties()
                .forEach(header -> headers.put(header.getKey(), header.getValue().asString("")));
        var value = line.path("value");
        return new RecordedRecord(
                topic,
                line.path("partition").asInt(0),
                line.path("offset").asLong(0),
                line.path("at").asLong(0),
                line.path("key").asString(null),
                headers,
                value.isNull() ? null : value);
    }

    private void skipped(String what) {
        unknown.merge(
                unknown.size() < MOST_UNKNOWN || unknown.containsKey(what) ? what : "others",
                1L,
                Long::sum);
    }

    /**
     * Reads a file to its end.
     *
     * @return the reader, closed, with its counts
     * @throws RecordingException when it is not whole
     */
    public static RecordingReader verify(Path file) {
        try (var reader = new RecordingReader(file)) {
            while (reader.next() != null) {
                // Only to its end.
            }
            return reader;
        }
    }

    @Override
    public void close() {
        lines.close();
    }
}
