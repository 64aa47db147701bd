package dev.perigee.gateway.deadletter;

import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter without its value, which may be large and hold secrets.
 *
 * @param position where it is on dead-letters
 * @param time when it became a dead letter
 * @param key the original key, null when there was none
 * @param reason and detail as the gateway gave them
 * @param origin where the record was read, {@code topic-partition@offset}
 * @param redrives how often the record had been put back before it became this letter
 * @param redrivenTo where this letter was put back, null while it was not
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
        @Nullable String redrivenTo) {

    static Letter of(ConsumerRecord<byte[], byte[]> record) {
        return new Letter(
                positionOf(record),
                Instant.ofEpochMilli(Math.max(0, record.timestamp())),
                record.key() == null ? null : new String(record.key(), StandardCharsets.UTF_8),
                text(record, Headers.REASON),
                text(record, Headers.DETAIL),
                text(record, Headers.ORIGIN),
                record.value() == null ? 0 : record.value().length,
                redrivesOf(record),
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

    Letter redrivenTo(String place) {
        return new Letter(position, time, key, reason, detail, origin, sizeBytes, redrives, place);
    }
}
