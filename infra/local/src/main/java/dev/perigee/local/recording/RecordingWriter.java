package dev.perigee.local.recording;

import java.nio.file.Path;
import tools.jackson.databind.JsonNode;

/** Writer of a recording; what has the name is complete. For one thread. */
public final class RecordingWriter implements AutoCloseable {
    private final CheckedLinesWriter lines;
    private long records;

    /**
     * Begins a file.
     *
     * @throws RecordingException when there is one of this name, or none can be written
     */
    public RecordingWriter(Path file, RecordingHeader header) {
        this.lines = new CheckedLinesWriter(file, RecordingHeader.KIND, line(header));
    }

    private static JsonNode line(RecordingHeader header) {
        var line = RecordingJson.MAPPER.createObjectNode();
        line.put("format", RecordingHeader.FORMAT).put("version", header.version());
        line.put("perigee", header.perigee()).put("source", header.source());
        line.put("partitions", header.partitions());
        if (header.since() != null) {
            line.put("since", header.since().toString());
        }
        line.put("until", header.until().toString());
        return line.put("recorded_at", header.recordedAt().toString());
    }

    /** Appends one record. */
    public void write(RecordedRecord record) {
        var line = RecordingJson.MAPPER.createObjectNode();
        line.put("topic", record.topic().suffix()).put("partition", record.partition());
        line.put("offset", record.offset()).put("at", record.at());
        if (record.key() != null) {
            line.put("key", record.key());
        }
        if (!record.headers().isEmpty()) {
            var headers = line.putObject("headers");
            record.headers().forEach(headers::put);
        }
        line.set("value", record.value());
        records++;
        lines.write(line);
    }

    /** Writes the end and gives the file its name. */
    public void finish() {
        lines.finish(records);
    }

    /** Bytes on disk until now. */
    public long bytes() {
        return lines.bytes();
    }

    /** Removes what is unfinished. */
    @Override
    public void close() {
        lines.close();
    }
}
