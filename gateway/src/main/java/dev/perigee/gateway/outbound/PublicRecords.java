package dev.perigee.gateway.outbound;

import static dev.perigee.gateway.outbound.CloudEvents.bytes;

import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.InstantSource;
import java.util.Locale;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Factory of the records that backends read. Pure but for its clock. */
public final class PublicRecords {
    private final TopicNames names;
    private final InstantSource clock;
    private final CloudEvents events = new CloudEvents();

    public PublicRecords(TopicNames names, InstantSource clock) {
        this.names = names;
        this.clock = clock;
    }

    /**
     * An entry of a worker's journal, its value unread.
     *
     * @param createdEpoch the epoch that created the session
     */
    public ProducerRecord<byte[], byte[]> event(
            EventType type, InstanceEvent event, long createdEpoch) {
        var data = event.data() == null ? RawJson.EMPTY_OBJECT : event.data();
        var record = record(names.of(type.topic()), event.key(), data.bytes());
        events.describe(
                record,
                eventId(event, createdEpoch),
                events.source(event.partition()),
                type.wireName(),
                event.processId(),
                clock.instant(),
                event.traceparent());
        return record;
    }

    /**
     * A status that a gateway tells by itself.
     *
     * @param epoch of its claim
     * @param what it says: under one claim an instance can be lost and found again and again, so
     *     that the moment is part of the id
     */
    public ProducerRecord<byte[], byte[]> status(
            int partition, long epoch, String what, EventOrigin origin, StatusChanged status) {
        var processId = origin.processId();
        var record =
                record(names.of(Topic.STATUS), processId, Json.write(Event.of(origin, status)));
        events.describe(
                record,
                statusId(origin, epoch, what),
                events.source(partition),
                status.type().wireName(),
                processId,
                origin.timestamp(),
                null);
        return record;
    }

    /** A result in place of one that its topic does not take. */
    public ProducerRecord<byte[], byte[]> instead(
            ToolResult result, InstanceEvent event, long createdEpoch) {
        var original = event(EventType.TOOL_RESULT, event, createdEpoch);
        return new ProducerRecord<>(
                original.topic(), null, original.key(), Json.write(result), original.headers());
    }

    /** A result that a gateway gives itself. */
    public ProducerRecord<byte[], byte[]> answer(
            RecordOrigin origin, ToolResult result, @Nullable String traceparent) {
        var record = record(names.of(Topic.TOOL_RESULTS), result.requestId(), Json.write(result));
        events.describe(
                record,
                origin + "/result",
                events.source(origin.partition()),
                ToolResult.EVENT,
                result.requestId(),
                clock.instant(),
                traceparent);
        return record;
    }

    /** The same result for the topic that a backend asked for. */
    public ProducerRecord<byte[], byte[]> reply(
            ReplyTo reply, ProducerRecord<byte[], byte[]> result) {
        var copy =
                new ProducerRecord<>(
                        reply.topic(),
                        reply.partition(),
                        result.key(),
                        result.value(),
                        result.headers());
        if (reply.correlationId() != null) {
            copy.headers().add(Headers.CORRELATION_ID, reply.correlationId());
        }
        return copy;
    }

    /** How far a command came. */
    public ProducerRecord<byte[], byte[]> commandResult(
            RecordOrigin origin, CommandResult result, @Nullable String traceparent) {
        var record =
                record(names.of(Topic.COMMAND_RESULTS), result.commandId(), Json.write(result));
        events.describe(
                record,
                origin + "/" + result.outcome().name().toLowerCase(Locale.ROOT),
                events.source(origin.partition()),
                CommandResult.EVENT,
                result.commandId(),
                result.timestamp(),
                traceparent);
        return record;
    }

    /** A worker's heartbeat, its value unread: every gateway that hears it gives it the same id. */
    public ProducerRecord<byte[], byte[]> heartbeat(String workerId, RawJson heartbeat) {
        var record = record(names.of(Topic.HEARTBEATS), workerId, heartbeat.bytes());
        events.describe(
                record,
                workerId + "/" + UUID.nameUUIDFromBytes(heartbeat.bytes()),
                CloudEvents.WORKERS,
                Heartbeat.EVENT,
                workerId,
                clock.instant(),
                null);
        return record;
    }

    /** Removes what a compacted topic has of an instance. */
    public ProducerRecord<byte[], byte[]> tombstone(Topic topic, int partition, String key) {
        return topic == Topic.STATE
                ? new ProducerRecord<>(names.of(topic), partition, bytes(key), null)
                : new ProducerRecord<>(names.of(topic), null, bytes(key), null);
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, String key, byte[] value) {
        return new ProducerRecord<>(topic, bytes(key), value);
    }

    private static String eventId(InstanceEvent event, long createdEpoch) {
        return event.processId() + "/" + createdEpoch + "/" + event.seq();
    }

    private static String statusId(EventOrigin origin, long epoch, String what) {
        long moment = origin.timestamp().toEpochMilli();
        return origin.processId() + "/" + epoch + "/" + moment + "/" + what;
    }
}
