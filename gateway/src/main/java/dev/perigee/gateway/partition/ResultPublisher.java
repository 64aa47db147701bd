package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.Addressee.RequestAuthor;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.outbound.Delivery;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of answers: on tool-results, then a copy on the reply topic that a request names. What
 * is to follow runs on the owner's thread once the copy, too, is acknowledged or given up.
 */
final class ResultPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(ResultPublisher.class);

    private final PartitionContext context;

    /** Called on the owner's thread after the broker acknowledged the answer. */
    interface Done {
        void at(Instant durable);
    }

    ResultPublisher(PartitionContext context) {
        this.context = context;
    }

    /**
     * Publishes an answer that the gateway itself decided, such as a timeout. Only the owner may
     * decide that, and a gateway that is cut off from the broker may have lost the partition
     * without knowing. So an empty transaction with the group's generation comes first: that of a
     * stale owner is refused, and its successor answers.
     */
    void decide(ToolCall call, ToolResult result, Done done) throws InterruptedException {
        var read = call.read();
        context.writer()
                .write(
                        List.of(),
                        _ -> give(read.origin(), result, read.reply(), read.traceparent(), done));
    }

    /** Publishes an answer that no journal has: the gateway's own, or a worker's refusal. */
    void give(
            RecordOrigin origin,
            ToolResult result,
            @Nullable ReplyTo reply,
            @Nullable String traceparent,
            Done done) {
        var record = context.services().records().answer(origin, result, traceparent);
        begin(record, () -> answer(origin, tooLarge(result), traceparent), reply, done);
    }

    /** The answer to a request that could not be read. */
    void reject(Rejected rejected, RequestAuthor author, Done done) {
        var code =
                rejected.reason() == DeadLetterReason.TOO_LARGE
                        ? ErrorCode.TOO_LARGE
                        : ErrorCode.INVALID_REQUEST;
        var result =
                new ToolResult(
                        ToolResult.EVENT,
                        author.requestId(),
                        author.teamId(),
                        author.userId(),
                        null,
                        author.toolPath(),
                        ToolOutcome.FAILED,
                        null,
                        ToolError.of(code, rejected.detail(), null),
                        0,
                        0,
                        context.services().clock().instant());
        give(rejected.origin(), result, author.reply(), rejected.traceparent(), done);
    }

    /** A worker's result, unread. */
    void pass(InstanceEvent event, long createdEpoch, Done done) {
        var records = context.services().records();
        begin(
                records.event(EventType.TOOL_RESULT, event, createdEpoch),
                () -> instead(event, createdEpoch),
                event.reply(),
                done);
    }

    private void begin(
            ProducerRecord<byte[], byte[]> record,
            Supplier<@Nullable ProducerRecord<byte[], byte[]>> shorter,
            @Nullable ReplyTo reply,
            Done done) {
        var feed = context.feed();
        if (feed.mayAnswer()) {
            publish(
                    record,
                    shorter,
                    reply,
                    durable -> {
                        try {
                            done.at(durable);
                        } finally {
                            feed.answered();
                        }
                    });
        }
    }

    private void publish(
            ProducerRecord<byte[], byte[]> record,
            Supplier<@Nullable ProducerRecord<byte[], byte[]>> shorter,
            @Nullable ReplyTo reply,
            Done done) {
        var left = new AtomicInteger(reply == null ? 1 : 2);
        Runnable one =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        var durable = context.services().clock().instant();
                        context.mailbox().postSoon(() -> done.at(durable));
                    }
                };
        var fast = context.services().fast();
        fast.publish(
                record,
                new Delivery() {
                    @Override
                    public boolean isFenced() {
                        return !context.feed().lease().isHeld();
                    }

                    @Override
                    public void delivered() {
                        one.run();
                        if (reply != null) {
                            context.services().replies().send(reply, record, one);
                        }
                    }

                    @Override
                    public void tooLarge() {
                        var replacement = shorter.get();
                        if (replacement == null) {
                            one.run();
                            if (reply != null) {
                                one.run();
                            }
                        } else {
                            publish(replacement, () -> null, reply, done);
                        }
                    }
                });
    }

    private ProducerRecord<byte[], byte[]> answer(
            RecordOrigin origin, ToolResult result, @Nullable String traceparent) {
        return context.services().records().answer(origin, result, traceparent);
    }

    private @Nullable ProducerRecord<byte[], byte[]> instead(
            InstanceEvent event, long createdEpoch) {
        try {
            var data = event.data();
            if (data == null) {
                return null;
            }
            var result = tooLarge(Json.read(data, ToolResult.class));
            return context.services().records().instead(result, event, createdEpoch);
        } catch (InvalidRecordException e) {
            LOG.atError()
                    .addKeyValue("process_id", event.processId())
                    .addKeyValue("partition", event.partition())
                    .addKeyValue("epoch", createdEpoch)
                    .setCause(e)
                    .log("Result too large for its topic, and unreadable");
            return null;
        }
    }

    /** Null where there is no error. */
    static @Nullable ErrorCode codeOf(ToolResult result) {
        var error = result.error();
        return error == null ? null : error.code();
    }

    private static ToolResult tooLarge(ToolResult result) {
        return result.failed(
                ToolError.of(
                        ErrorCode.TOO_LARGE,
                        "The result is larger than tool-results takes: ask for less, or raise"
                                + " max.message.bytes",
                        null));
    }
}
