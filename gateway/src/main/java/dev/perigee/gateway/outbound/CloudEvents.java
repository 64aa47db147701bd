package dev.perigee.gateway.outbound;

import dev.perigee.protocol.json.IsoInstant;
import dev.perigee.protocol.topic.Headers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Headers of CloudEvents 1.0 in Kafka's binary mode. Ids are deterministic, so that whoever reads a
 * record twice can tell: {@code {process_id}/{epoch that created the session}/{seq}} for what a
 * worker reported, {@code {topic}-{partition}@{offset}/{kind}} for what the gateway made itself.
 */
final class CloudEvents {
    private static final byte[] JSON = bytes("application/json");
    private static final byte[] VERSION = bytes("1.0");

    private CloudEvents() {}

    static List<Header> headers(
            String id,
            String source,
            String type,
            String subject,
            Instant time,
            @Nullable String traceparent) {
        var headers = new ArrayList<Header>();
        headers.add(new RecordHeader(Headers.CE_SPECVERSION, VERSION));
        headers.add(new RecordHeader(Headers.CE_ID, bytes(id)));
        headers.add(new RecordHeader(Headers.CE_SOURCE, bytes(source)));
        headers.add(new RecordHeader(Headers.CE_TYPE, bytes(type)));
        headers.add(new RecordHeader(Headers.CE_SUBJECT, bytes(subject)));
        headers.add(new RecordHeader(Headers.CE_TIME, bytes(IsoInstant.write(time))));
        headers.add(new RecordHeader(Headers.CONTENT_TYPE, JSON));
        if (traceparent != null) {
            headers.add(new RecordHeader(Headers.TRACEPARENT, bytes(traceparent)));
        }
        return headers;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
