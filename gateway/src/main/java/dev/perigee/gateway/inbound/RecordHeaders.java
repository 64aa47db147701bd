package dev.perigee.gateway.inbound;

import dev.perigee.gateway.inbound.Inbound.CopyOf;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.trace.TraceSpan;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Reads the headers that a backend may set, and those of copied commands. */
final class RecordHeaders {
    private static final int LONGEST_TRACEPARENT = 200;

    private RecordHeaders() {}

    /** The trace to continue, null when there is none or it cannot be one. */
    static @Nullable String traceparent(org.apache.kafka.common.header.Headers headers) {
        byte[] value = value(headers, Headers.TRACEPARENT);
        return value == null || value.length > LONGEST_TRACEPARENT
                ? null
                : new String(value, StandardCharsets.UTF_8);
    }

    /** What goes with the trace, null when there is none or it is longer than is continued. */
    static @Nullable String tracestate(org.apache.kafka.common.header.Headers headers) {
        byte[] value = value(headers, Headers.TRACESTATE);
        return value == null || value.length > TraceSpan.LONGEST_STATE
                ? null
                : new String(value, StandardCharsets.UTF_8);
    }

    /**
     * Where the result goes too, null when only to tool-results.
     *
     * @throws InvalidRecordException when the partition is no four bytes
     */
    static @Nullable ReplyTo reply(org.apache.kafka.common.header.Headers headers) {
        byte[] topic = value(headers, Headers.REPLY_TOPIC);
        if (topic == null) {
            return null;
        }
        return new ReplyTo(
                new String(topic, StandardCharsets.UTF_8),
                partition(value(headers, Headers.REPLY_PARTITION)),
                value(headers, Headers.CORRELATION_ID));
    }

    /** Whether the record is a gateway's report on a copied command. */
    static boolean isReport(org.apache.kafka.common.header.Headers headers) {
        return value(headers, Headers.BROADCAST_REPORT) != null;
    }

    /**
     * What a copied command repeats, null for any other.
     *
     * @throws InvalidRecordException when that cannot be read
     */
    static @Nullable CopyOf copyOf(org.apache.kafka.common.header.Headers headers) {
        byte[] of = value(headers, Headers.BROADCAST_OF);
        if (of == null) {
            return null;
        }
        byte[] at = value(headers, Headers.BROADCAST_AT);
        try {
            return new CopyOf(
                    RecordOrigin.parse(new String(of, StandardCharsets.UTF_8)),
                    Instant.ofEpochMilli(
                            Long.parseLong(
                                    at == null ? "" : new String(at, StandardCharsets.UTF_8))));
        } catch (NumberFormatException e) {
            throw InvalidRecordException.invalid(
                    "header " + Headers.BROADCAST_AT + " is not a time in milliseconds");
        }
    }

    private static @Nullable Integer partition(byte @Nullable [] value) {
        if (value == null) {
            return null;
        }
        if (value.length != Integer.BYTES || value[0] < 0) {
            throw InvalidRecordException.invalid(
                    "header " + Headers.REPLY_PARTITION + " is not a partition in four bytes");
        }
        return ByteBuffer.wrap(value).getInt();
    }

    private static byte @Nullable [] value(
            org.apache.kafka.common.header.Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null ? null : header.value();
    }
}
