package dev.perigee.gateway.deadletter;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter without its value, which may be large and hold secrets, and with its texts cut.
 * What is put back is read again.
 *
 * @param position where it is on dead-letters
 * @param time when it became a dead letter
 * @param key the original key, null when there was none
 * @param reason and detail as the gateway gave them
 * @param origin where the record was read, {@code topic-partition@offset}
 * @param redrives how often the record had been put back before it became this letter
 * @param redrivenTo where this letter was put back, null while it was not
 * @param command what the record asks for where it is a command, {@code configure
 *     mcp_installation_updated}; null where it is none, or nobody asked for the letter by its place
 */
public record Letter(
        RecordOrigin position,
        Instant time,
        @Nullable String key,
        String reason,
        String detail,
        String origin,
        int sizeBytes,
        int redrives,
        @Nullable String redrivenTo,
        @Nullable String command) {
    /** Longest of its texts, in characters: many letters are held at once. */
    static final int LONGEST = 1_000;

    private static final int LONGEST_COMMAND = 200;
    private static final int BYTES_OF_CHARACTER = 4;

    private record Kind(@Nullable String commandType, @Nullable Payload payload) {}

    private record Payload(@Nullable String event, @Nullable String action) {}

    static Letter of(ConsumerRecord<byte[], byte[]> record) {
        return new Letter(
                positionOf(record),
                Instant.ofEpochMilli(Math.max(0, record.timestamp())),
                record.key() == null ? null : cut(record.key()),
                cut(record, Headers.REASON),
                cut(record, Headers.DETAIL),
                cut(record, Headers.ORIGIN),
                record.value() == null ? 0 : record.value().length,
                redrivesOf(record),
                null,
                null);
    }

    /** Where it is, as people write it: {@code partition@offset} of dead-letters. */
    public String place() {
        return position.partition() + "@" + position.offset();
    }

    static RecordOrigin positionOf(ConsumerRecord<byte[], byte[]> record) {
        return new RecordOrigin(record.topic(), record.partition(), record.offset());
    }

    /** How often a record has been put back; nonsense counts as never. */
    static int redrivesOf(ConsumerRecord<byte[], byte[]> record) {
        try {
            return Math.max(0, Integer.parseInt(text(record, Headers.REDRIVES)));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** A header as text, empty when there is none. */
    static String text(ConsumerRecord<byte[], byte[]> record, String header) {
        var found = record.headers().lastHeader(header);
        return found == null || found.value() == null
                ? ""
                : new String(found.value(), StandardCharsets.UTF_8);
    }

    private static String cut(ConsumerRecord<byte[], byte[]> record, String header) {
        var found = record.headers().lastHeader(header);
        return found == null || found.value() == null ? "" : cut(found.value());
    }

    private static String cut(byte[] utf8) {
        int most = Math.min(utf8.length, BYTES_OF_CHARACTER * LONGEST);
        var text = new String(utf8, 0, most, StandardCharsets.UTF_8);
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
    }

    /** The same, marked by this record. */
    Letter marked(ConsumerRecord<byte[], byte[]> mark) {
        return with(cut(mark, Headers.REDRIVEN_TO), command);
    }

    /** The same, with what its value asks for. */
    Letter looked(ConsumerRecord<byte[], byte[]> record) {
        return with(redrivenTo, commandOf(record.value()));
    }

    private Letter with(@Nullable String nowRedrivenTo, @Nullable String nowCommand) {
        return new Letter(
                position,
                time,
                key,
                reason,
                detail,
                origin,
                sizeBytes,
                redrives,
                nowRedrivenTo,
                nowCommand);
    }

    private static @Nullable String commandOf(byte @Nullable [] value) {
        if (value == null) {
            return null;
        }
        try {
            var kind = Json.readInput(value, Kind.class);
            if (kind.commandType() == null) {
                return null;
            }
            var payload = kind.payload();
            var event =
                    payload == null
                            ? null
                            : payload.event() != null ? payload.event() : payload.action();
            var text = kind.commandType() + (event == null ? "" : " " + event);
            return text.substring(0, Math.min(text.length(), LONGEST_COMMAND));
        } catch (InvalidRecordException e) {
            return null;
        }
    }
}
