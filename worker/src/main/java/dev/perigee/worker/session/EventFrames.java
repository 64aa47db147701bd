package dev.perigee.worker.session;

import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.worker.instance.InstanceIdentity;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encoder of journal entries as link messages, each once, when its number is known. No message
 * exceeds {@link LinkFrame#MAX_BYTES}: an event beyond it is replaced by a log line, a result by
 * the error {@code too_large}. Pure but for its clock; any thread.
 */
final class EventFrames {
    /** Room for everything around a result: ids, the reply address, the trace. */
    private static final int ENVELOPE_BYTES = 64 * 1024;

    /** The first version of the link that has every type of event. */
    private static final int ALL_TYPES =
            Arrays.stream(EventType.values()).mapToInt(EventType::linkVersion).max().orElseThrow();

    private static final int MAX_RESULT_BYTES = LinkFrame.MAX_BYTES - ENVELOPE_BYTES;

    /** A notification whose parameters are not encoded twice. */
    private record Wire(String jsonrpc, String method, InstanceEvent params) {}

    private final String workerId;
    private final InstantSource clock;

    EventFrames(String workerId, InstantSource clock) {
        this.workerId = workerId;
        this.clock = clock;
    }

    byte[] event(
            InstanceIdentity about,
            long seq,
            EventBody body,
            @Nullable Long pid,
            @Nullable RawJson durable) {
        byte[] frame = encode(about, seq, body, pid, durable);
        if (frame.length <= LinkFrame.MAX_BYTES) {
            return frame;
        }
        String lost =
                "An event of type %s was dropped: %d bytes are more than a message may have"
                        .formatted(body.type().wireName(), frame.length);
        return encode(about, seq, line("error", lost, about), pid, durable);
    }

    /** The entry in the place of log lines that gave way. */
    byte[] dropped(InstanceIdentity about, long seq, long lines) {
        String message =
                lines + " log lines were dropped: they came faster than they could be published";
        return encode(about, seq, line("warn", message, about), null, null);
    }

    /** The entry about output that was evicted before a gateway read it. */
    byte[] missing(InstanceIdentity about, long seq, long lines) {
        String message =
                lines + " log lines are missing: the journal was full before they could be read";
        return encode(about, seq, line("error", message, about), null, null);
    }

    /**
     * An entry as a gateway of that version of the link reads it. One of a type that it does not
     * know, and would drop, becomes a line of log with the same number: there is no hole.
     */
    static byte[] readable(byte[] frame, int protocol) {
        if (protocol >= ALL_TYPES) {
            return frame;
        }
        var entry = InstanceEvent.readMessage(frame);
        var type = entry == null ? null : EventType.of(entry.type());
        var data = entry == null ? null : entry.data();
        if (entry == null || type == null || type.linkVersion() <= protocol || data == null) {
            return frame;
        }
        var origin = Event.read(data.bytes()).origin();
        var line =
                line(
                        "info",
                        "An event of type %s was left out: its gateway is older than its worker"
                                .formatted(entry.type()),
                        origin.processId(),
                        origin.timestamp());
        return write(
                new InstanceEvent(
                        entry.partition(),
                        entry.processId(),
                        entry.startToken(),
                        entry.seq(),
                        EventType.LOGS.wireName(),
                        entry.processId(),
                        Json.raw(Event.of(origin, line)),
                        entry.durable(),
                        null,
                        null,
                        null,
                        null));
    }

    /** A result as the backend reads it. */
    RawJson result(ToolResult result) {
        var plain = PlainResults.result(result);
        var encoded = plain == null ? Json.raw(result) : plain;
        if (encoded.size() <= MAX_RESULT_BYTES) {
            return encoded;
        }
        String message =
                "The result has %d bytes, at most %d can be published: ask for less at once"
                        .formatted(encoded.size(), MAX_RESULT_BYTES);
        return Json.raw(result.failed(ToolError.of(ErrorCode.TOO_LARGE, message, null)));
    }

    /** The answer to one request; its reply address counts too. */
    byte[] result(InstanceIdentity about, long seq, ToolOrder.Execute order, RawJson data) {
        byte[] frame = resultFrame(about, seq, order, data);
        if (frame.length <= LinkFrame.MAX_BYTES) {
            return frame;
        }
        var error =
                ToolError.of(
                        ErrorCode.TOO_LARGE,
                        "The result and its headers have %d bytes, at most %d can be published: ask for less at once"
                                .formatted(frame.length, LinkFrame.MAX_BYTES),
                        null);
        var refused =
                ToolResult.refused(order.request(), about.processId(), error, clock.instant());
        return resultFrame(about, seq, order, Json.raw(refused));
    }

    private static byte[] resultFrame(
            InstanceIdentity about, long seq, ToolOrder.Execute order, RawJson data) {
        var plain = PlainResults.entry(about, seq, order, data);
        return plain == null ? written(about, seq, order, data) : plain;
    }

    /** As the mapper writes it. */
    static byte[] written(InstanceIdentity about, long seq, ToolOrder.Execute order, RawJson data) {
        return write(
                new InstanceEvent(
                        about.partition(),
                        about.processId(),
                        about.startToken(),
                        seq,
                        EventType.TOOL_RESULT.wireName(),
                        order.request().requestId(),
                        data,
                        null,
                        order.origin(),
                        order.reply(),
                        order.traceparent(),
                        null));
    }

    /** What happens in a running call, for the backend that asked. */
    byte[] call(
            InstanceIdentity about,
            long seq,
            ToolOrder.Execute order,
            EventBody body,
            @Nullable Long pid) {
        return question(about, seq, order, body, pid, null);
    }

    /**
     * A question of a running call.
     *
     * @param resume by which the call can go on at another worker, null where it cannot
     */
    byte[] question(
            InstanceIdentity about,
            long seq,
            ToolOrder.Execute order,
            EventBody body,
            @Nullable Long pid,
            @Nullable RawJson resume) {
        return write(
                new InstanceEvent(
                        about.partition(),
                        about.processId(),
                        about.startToken(),
                        seq,
                        body.type().wireName(),
                        order.request().requestId(),
                        Json.raw(Event.of(origin(about, seq, pid), body)),
                        null,
                        order.origin(),
                        order.reply(),
                        order.traceparent(),
                        resume));
    }

    byte[] removed(InstanceIdentity about, long seq) {
        return frame(about, seq, EventType.REMOVED, null, null);
    }

    private byte[] encode(
            InstanceIdentity about,
            long seq,
            EventBody body,
            @Nullable Long pid,
            @Nullable RawJson durable) {
        var event = Event.of(origin(about, seq, pid), body);
        return frame(about, seq, body.type(), Json.raw(event), durable);
    }

    private EventOrigin origin(InstanceIdentity about, long seq, @Nullable Long pid) {
        return new EventOrigin(
                about.processId(),
                pid,
                about.installationId(),
                about.installationName(),
                about.serverSlug(),
                about.teamId(),
                about.userId(),
                workerId,
                seq,
                clock.instant());
    }

    private static byte[] frame(
            InstanceIdentity about,
            long seq,
            EventType type,
            @Nullable RawJson data,
            @Nullable RawJson durable) {
        return write(
                new InstanceEvent(
                        about.partition(),
                        about.processId(),
                        about.startToken(),
                        seq,
                        type.wireName(),
                        key(about, type),
                        data,
                        durable,
                        null,
                        null,
                        null,
                        null));
    }

    private static String key(InstanceIdentity about, EventType type) {
        return type.topic() == Topic.SERVER_EVENTS ? about.installationId() : about.processId();
    }

    private static byte[] write(InstanceEvent event) {
        return Json.write(new Wire("2.0", LinkMethod.EVENT, event));
    }

    private EventBody.Logs line(String level, String message, InstanceIdentity about) {
        return line(level, message, about.processId(), clock.instant());
    }

    private static EventBody.Logs line(
            String level, String message, String processId, Instant timestamp) {
        return new EventBody.Logs(
                List.of(
                        new EventBody.LogLine(
                                level, message, Map.of("process_id", processId), timestamp)));
    }
}
