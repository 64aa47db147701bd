package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.trace.SpanText;
import dev.perigee.protocol.trace.TraceSpan;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;

/**
 * Spans of the gateway's work on a request, by OpenTelemetry's conventions of messaging with Kafka:
 * {@code process} of the request's record, from its read to its durable answer, and in it {@code
 * send} of the answer. Keys and values of records are not in them. Pure.
 */
final class RequestSpans {
    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> OPERATION_NAME =
            AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> OPERATION_TYPE =
            AttributeKey.stringKey("messaging.operation.type");
    private static final AttributeKey<String> DESTINATION =
            AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> PARTITION =
            AttributeKey.stringKey("messaging.destination.partition.id");
    private static final AttributeKey<String> GROUP =
            AttributeKey.stringKey("messaging.consumer.group.name");
    private static final AttributeKey<Long> OFFSET = AttributeKey.longKey("messaging.kafka.offset");
    private static final AttributeKey<String> CONVERSATION =
            AttributeKey.stringKey("messaging.message.conversation_id");
    private static final AttributeKey<String> REQUEST_ID =
            AttributeKey.stringKey("perigee.request_id");
    private static final AttributeKey<String> METHOD = AttributeKey.stringKey("perigee.method");

    private static final String KAFKA = "kafka";

    private RequestSpans() {}

    /**
     * Begins the span of a request's record, whose parent and link is what its author was doing.
     *
     * @param group the consumer group
     */
    static TraceSpan process(RequestRead read, String group) {
        return TraceSpan.begin(
                new Processing(read, group),
                read.traceparent(),
                read.tracestate(),
                () -> read.origin() + "/" + read.appendedAt().toEpochMilli());
    }

    /**
     * Begins the span of sending a request's answer. The answer's header names the span of the
     * request.
     *
     * @param topic where it is sent
     */
    static TraceSpan send(TraceSpan request, String topic) {
        return request.within(new Sending(topic));
    }

    private record Processing(RequestRead read, String group) implements TraceSpan.Work {
        private static final String OPERATION = "process";

        @Override
        public SpanKind kind() {
            return SpanKind.CONSUMER;
        }

        @Override
        public String name() {
            return OPERATION + " " + read.origin().topic();
        }

        @Override
        public Attributes attributes() {
            var origin = read.origin();
            var id = SpanText.of(read.request().requestId());
            return Attributes.builder()
                    .put(SYSTEM, KAFKA)
                    .put(OPERATION_NAME, OPERATION)
                    .put(OPERATION_TYPE, OPERATION)
                    .put(DESTINATION, origin.topic())
                    .put(PARTITION, Integer.toString(origin.partition()))
                    .put(OFFSET, origin.offset())
                    .put(GROUP, group)
                    .put(CONVERSATION, id)
                    .put(REQUEST_ID, id)
                    .put(METHOD, read.method().wireName())
                    .build();
        }

        @Override
        public boolean linksParent() {
            return true;
        }
    }

    private record Sending(String topic) implements TraceSpan.Work {
        private static final String OPERATION = "send";

        @Override
        public SpanKind kind() {
            return SpanKind.CLIENT;
        }

        @Override
        public String name() {
            return OPERATION + " " + topic;
        }

        @Override
        public Attributes attributes() {
            return Attributes.builder()
                    .put(SYSTEM, KAFKA)
                    .put(OPERATION_NAME, OPERATION)
                    .put(OPERATION_TYPE, OPERATION)
                    .put(DESTINATION, topic)
                    .build();
        }

        @Override
        public boolean linksParent() {
            return true;
        }
    }
}
