package dev.perigee.local.backup;

import dev.perigee.local.recording.RecordingJson;
import dev.perigee.protocol.topic.Topic;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Lines of a backup, each one JSON object. Bytes are in Base64. Pure.
 *
 * <pre>
 *   {"format":"perigee-backup","version":1,...,"partitions":{"state":8,...}}
 *   {"topic":"state","partition":0,"end":4711}        for each partition, before its records
 *   {"key":"...","offset":17,"at":1764000000000,"headers":[["name","..."]],"value":"..."}
 *   {"end":{"records":2,"sha256":"..."}}              of all lines before
 * </pre>
 */
final class BackupLines {
    private static final Map<String, Topic> TOPICS =
            Arrays.stream(Topic.values())
                    .collect(Collectors.toUnmodifiableMap(Topic::suffix, Function.identity()));

    private static final Base64.Encoder TEXT = Base64.getEncoder();
    private static final Base64.Decoder BYTES = Base64.getDecoder();

    private BackupLines() {}

    /**
     * Begin of a partition.
     *
     * @param end its end when it was read: the file has what counts of the records below
     */
    record Section(Topic topic, int partition, long end) {}

    /** A line that is not of this format. */
    static final class InvalidLineException extends Exception {
        private static final long serialVersionUID = 1L;

        InvalidLineException(String message) {
            super(message);
        }
    }

    static JsonNode header(BackupHeader header) {
        var line = RecordingJson.MAPPER.createObjectNode();
        line.put("format", BackupHeader.FORMAT).put("version", header.version());
        line.put("perigee", header.perigee()).put("cluster", header.cluster());
        line.put("prefix", header.prefix()).put("begun_at", header.begunAt().toString());
        var partitions = line.putObject("partitions");
        header.partitions().forEach((topic, count) -> partitions.put(topic.suffix(), count));
        return line;
    }

    static JsonNode section(Section section) {
        var line = RecordingJson.MAPPER.createObjectNode();
        line.put("topic", section.topic().suffix()).put("partition", section.partition());
        return line.put("end", section.end());
    }

    static byte[] record(BackupRecord record) {
        var line = RecordingJson.MAPPER.createObjectNode();
        line.put("key", TEXT.encodeToString(record.key()));
        line.put("offset", record.offset()).put("at", record.at());
        if (!record.headers().isEmpty()) {
            var headers = line.putArray("headers");
            for (var header : record.headers()) {
                var value = header.value();
                headers.addArray()
                        .add(header.name())
                        .add(value == null ? null : TEXT.encodeToString(value));
            }
        }
        line.put("value", TEXT.encodeToString(record.value()));
        return RecordingJson.MAPPER.writeValueAsBytes(line);
    }

    static BackupHeader header(JsonNode line) throws InvalidLineException {
        var partitions = new TreeMap<Topic, Integer>();
        for (var each : line.path("partitions").properties()) {
            partitions.put(topic(each.getKey()), each.getValue().asInt(0));
        }
        try {
            return new BackupHeader(
                    line.path("version").asInt(0),
                    line.path("perigee").asString("unknown"),
                    line.path("cluster").asString("unknown"),
                    line.path("prefix").asString(""),
                    Instant.parse(line.path("begun_at").asString("")),
                    partitions);
        } catch (DateTimeException e) {
            throw new InvalidLineException("it has no time");
        }
    }

    /** The section that a line begins, null where it begins none. */
    static @Nullable Section section(JsonNode line) throws InvalidLineException {
        var name = line.path("topic").asString(null);
        if (name == null) {
            return null;
        }
        return new Section(
                topic(name), line.path("partition").asInt(-1), line.path("end").asLong(-1));
    }

    static BackupRecord record(Section section, JsonNode line) throws InvalidLineException {
        var headers = new ArrayList<BackupRecord.Header>();
        for (var header : line.path("headers")) {
            var value = header.path(1);
            headers.add(
                    new BackupRecord.Header(
                            header.path(0).asString(""), value.isNull() ? null : bytes(value)));
        }
        if (!line.path("offset").isIntegralNumber() || !line.path("at").isIntegralNumber()) {
            throw new InvalidLineException("a record has no place");
        }
        return new BackupRecord(
                section.topic(),
                section.partition(),
                line.path("offset").asLong(0),
                line.path("at").asLong(0),
                bytes(line.path("key")),
                headers,
                bytes(line.path("value")));
    }

    private static Topic topic(String name) throws InvalidLineException {
        var topic = TOPICS.get(name);
        if (topic == null) {
            throw new InvalidLineException("it has a topic " + name);
        }
        return topic;
    }

    private static byte[] bytes(JsonNode text) throws InvalidLineException {
        if (!text.isString()) {
            throw new InvalidLineException("a record lacks something");
        }
        try {
            return BYTES.decode(text.asString());
        } catch (IllegalArgumentException e) {
            throw new InvalidLineException("a record is no Base64");
        }
    }
}
