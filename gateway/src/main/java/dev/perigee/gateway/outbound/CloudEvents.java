package dev.perigee.gateway.outbound;

import dev.perigee.protocol.json.IsoInstant;
import dev.perigee.protocol.topic.Headers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Headers of CloudEvents 1.0 in Kafka's binary mode. Ids are deterministic, so that whoever reads a
 * record twice can tell: {@code {process_id}/{epoch that created the session}/{seq}} for what a
 * worker reported, {@code {topic}-{partition}@{offset}/{kind}} for what the gateway made itself.
 * Headers that many records have are made once. Thread-safe.
 */
final class CloudEvents {
    static final Header WORKERS = header(Headers.CE_SOURCE, "perigee/workers");
    private static final Header VERSION = header(Headers.CE_SPECVERSION, "1.0");
    private static final Header JSON = header(Headers.CONTENT_TYPE, "application/json");

    private final Map<Integer, Header> sources = new ConcurrentHashMap<>();
    private final Map<String, Header> types = new ConcurrentHashMap<>();

    /** The owner of a partition, as the source of what it publishes. */
    Header source(int partition) {
        return sources.computeIfAbsent(
                partition, of -> header(Headers.CE_SOURCE, "perigee/partitions/" + of));
    }

    /**
     * Adds the headers of a record.
     *
     * @param type one of those that there are
     */
    void describe(
            ProducerRecord<byte[], byte[]> record,
            String id,
            Header source,
            String type,
            String subject,
            Instant time,
            @Nullable String traceparent) {
        var headers =
                record.headers()
                        .add(VERSION)
                        .add(header(Headers.CE_ID, id))
                        .add(source)
                        .add(types.computeIfAbsent(type, name -> header(Headers.CE_TYPE, name)))
                        .add(header(Headers.CE_SUBJECT, subject))
                        .add(header(Headers.CE_TIME, IsoInstant.write(time)))
                        .add(JSON);
        if (traceparent != null) {
            headers.add(header(Headers.TRACEPARENT, traceparent));
        }
    }

    static Header header(String name, String value) {
        return new RecordHeader(name, bytes(value));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
