package dev.perigee.local.recording;

import dev.perigee.protocol.topic.Topic;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
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

    private final Path file;
    private final LineReader lines;
    private final MessageDigest digest = Sha256.begin();
    private final RecordingHeader header;
    private final Map<String, Long> unknown = new TreeMap<>();
    private long records;

    /** Lines behind the first. */
    private long read;

    private long bytesRead;
    private boolean opened;
    private boolean ended;
    private String sha256 = "";

    /**
     * Opens a file.
     *
     * @throws RecordingException when it is none that {@code perigee recording make} wrote
     */
    public RecordingReader(Path file) {
        this.file = file;
        if (!Files.isRegularFile(file)) {
            throw new RecordingException(
                    file + " is not there: make it with 'perigee recording make'");
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
            throw RecordingException.ofStorage(file + " cannot be read: " + e.getMessage());
        }
        this.header = readHeader();
        this.opened = true;
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

    private RecordingHeader readHeader() {
        boolean understood = false;
        try {
            var line = line();
            if (line == null || !line.path("format").asString("").equals(RecordingHeader.FORMAT)) {
                throw foreign();
            }
            var since = line.path("since").asString(null);
            var header =
                    new RecordingHeader(
                            line.path("version").asInt(0),
                            line.path("perigee").asString("unknown"),
                            line.path("source").asString("unknown"),
                            line.path("partitions").asInt(1),
                            since == null ? null : Instant.parse(since),
                            Instant.parse(line.path("until").asString("1970-01-01T00:00:00Z")),
                            Instant.parse(
                                    line.path("recorded_at").asString("1970-01-01T00:00:00Z")));
            understood = true;
            return header;
        } catch (DateTimeException e) {
            throw foreign();
        } finally {
            if (!understood) {
                close();
            }
        }
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
        return bytesRead;
    }

    /** The checksum of all records, once the end was read; empty before. */
    public String sha256() {
        return sha256;
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

    private @Nullable RecordedRecord record(JsonNode line) {
        read++;
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

    private void end(JsonNode end) {
        ended = true;
        sha256 = HexFormat.of().formatHex(digest.digest());
        if (!sha256.equals(end.path("sha256").asString(""))
                || read != end.path("records").asLong(-1)) {
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

    private @Nullable JsonNode line() {
        try {
            var bytes = lines.next();
            if (bytes == null) {
                return null;
            }
            bytesRead += bytes.length;
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

    private RecordingException foreign() {
        return new RecordingException(
                file
                        + " is no recording, or its begin is damaged: name a file that"
                        + " 'perigee recording make' wrote");
    }

    private RecordingException cut() {
        return new RecordingException(
                file
                        + " is cut off behind record "
                        + read
                        + ": copy it again from where it was made, or make it again");
    }

    private RecordingException damaged() {
        return new RecordingException(
                file
                        + " is damaged, its checksum does not fit (seen at record "
                        + read
                        + "): copy it again from where it was made, or make it again");
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
