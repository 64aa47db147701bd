package dev.perigee.protocol.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.Fields;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Notifications about sessions, both ways. */
public final class SessionNotice {
    private SessionNotice() {}

    /**
     * Entries that are durable in Kafka, public record and state alike: the worker drops them.
     *
     * @param partition the partition of the session
     * @param acks one for each process with news
     */
    public record Ack(int partition, List<ProcessAck> acks) {
        public Ack {
            acks = List.copyOf(Require.present(acks, "acks"));
        }
    }

    /**
     * Cumulative acknowledgement of one process.
     *
     * @param processId the instance
     * @param seq all entries up to this number, inclusive, are durable
     */
    public record ProcessAck(String processId, long seq) {}

    /**
     * More credit. An event counts as the size of its whole frame; the worker sends while it has
     * credit, so the last event may overdraw it. An attach replaces what was left by its own
     * credit.
     *
     * @param partition the partition of the session
     * @param bytes of events that the worker may send in addition
     */
    public record Credit(int partition, long bytes) {}

    /**
     * The offset of a topic was committed: records below it will never be sent again, so the worker
     * forgets what it accepted of them.
     *
     * @param partition the partition of the session, and of the topic
     * @param topic full name of the topic
     * @param offset that was committed
     */
    public record Committed(int partition, String topic, long offset) {}

    /**
     * A higher epoch attached: this connection no longer has the session.
     *
     * @param partition the partition of the session
     * @param epoch the one that attached
     */
    public record Fenced(int partition, long epoch) {}

    /**
     * The session ended as asked for by a release, or by the end of the worker: its processes are
     * gone and all they said is acknowledged. The partition can be placed anywhere at once.
     *
     * @param partition the partition of the session
     * @param epoch the highest that attached to it
     */
    public record Ended(int partition, long epoch) {}

    /**
     * The worker begins or ceases to leave; sent to every gateway, and part of hello.
     *
     * @param reason for logs, such as who asked for it
     * @param version grows with each change while the worker process lives
     * @param phase whether it takes sessions
     */
    public record Draining(String reason, long version, Phase phase) {
        public Draining {
            Require.present(phase, "phase");
        }
    }

    /** Drain phase of a worker. */
    public enum Phase {
        /** It does. */
        @JsonProperty("serving")
        SERVING,
        /** It does not, and wants to be rid of those it has; they go on as long as they must. */
        @JsonProperty("draining")
        DRAINING,
        /** As {@link #DRAINING}, and it will end soon, with whatever it has then. */
        @JsonProperty("stopping")
        STOPPING
    }

    /**
     * A gateway's answer to a worker that drains, repeated every second or so while it holds: its
     * partitions cannot go elsewhere.
     *
     * @param reason for logs: why they cannot
     */
    public record Staying(String reason) {}

    /**
     * An entry of an instance's journal.
     *
     * @param partition the partition of the session
     * @param processId the instance
     * @param startToken offset of the state record with the configuration that it runs
     * @param seq the entry's number: one sequence per instance, without holes
     * @param type an {@link dev.perigee.protocol.event.EventType}'s name
     * @param key key of the public record
     * @param data value of the public record, complete
     * @param durable what a later owner must know of the instance once this entry is public, null
     *     when it changes nothing; the gateway stores it unread
     * @param origin of a tool result: the request it answers
     * @param reply of a tool result: where the backend wants it too
     * @param traceparent W3C trace context of the request or command, null where it had none
     * @param resume of a question: the {@link HeldQuestion} that the call can go on from on another
     *     worker, null where it cannot. Not public
     */
    public record InstanceEvent(
            int partition,
            String processId,
            long startToken,
            long seq,
            String type,
            String key,
            @Nullable RawJson data,
            @Nullable RawJson durable,
            @Nullable RecordOrigin origin,
            @Nullable ReplyTo reply,
            @Nullable String traceparent,
            @Nullable RawJson resume) {
        private static final byte[] METHOD = LinkMethod.EVENT.getBytes(UTF_8);

        public InstanceEvent {
            Require.present(processId, "process_id");
            Require.present(type, "type");
            Require.present(key, "key");
        }

        /**
         * Reads one.
         *
         * @throws InvalidRecordException when it is none
         */
        public static InstanceEvent read(RawJson json) {
            return Json.read(json.bytes(), InstanceEvent.class, InstanceEvent::of);
        }

        /** Reads a message with one in one go; null when it is none as we write them. */
        public static @Nullable InstanceEvent readMessage(byte[] utf8) {
            var asked = JsonRpc.asked(utf8, METHOD);
            if (asked == null || asked.id() != null) {
                return null;
            }
            try {
                return read(asked.params());
            } catch (InvalidRecordException e) {
                return null; // The reader of the whole message reports the error.
            }
        }

        /**
         * Reads a message with one that needs no parser, as nearly all; null for any other message.
         * Of the bytes nothing is kept.
         *
         * @param length of the message, at the beginning of the buffer
         */
        public static @Nullable InstanceEvent readMessage(byte[] buffer, int length) {
            return Json.readPlain(buffer, length, InstanceEvent::ofMessage);
        }

        private static @Nullable InstanceEvent ofMessage(Fields fields) {
            String version = null;
            String method = null;
            InstanceEvent event = null;
            for (var name = fields.next(); name != null; name = fields.next()) {
                switch (name) {
                    case "jsonrpc" -> version = fields.text();
                    case "method" -> method = fields.text();
                    case "params" -> {
                        if (!LinkMethod.EVENT.equals(method)) {
                            return null;
                        }
                        event = fields.object(InstanceEvent::of);
                    }
                    case "id" -> {
                        return null;
                    }
                    default -> {}
                }
            }
            return JsonRpc.VERSION.equals(version) && LinkMethod.EVENT.equals(method)
                    ? event
                    : null;
        }

        static InstanceEvent of(Fields fields) {
            Integer partition = null;
            String processId = null;
            Long startToken = null;
            Long seq = null;
            String type = null;
            String key = null;
            RawJson data = null;
            RawJson durable = null;
            RecordOrigin origin = null;
            ReplyTo reply = null;
            String traceparent = null;
            RawJson resume = null;
            for (var name = fields.next(); name != null; name = fields.next()) {
                switch (name) {
                    case "partition" -> partition = fields.smallNumber();
                    case "process_id" -> processId = fields.text();
                    case "start_token" -> startToken = fields.number();
                    case "seq" -> seq = fields.number();
                    case "type" -> type = fields.text();
                    case "key" -> key = fields.text();
                    case "data" -> data = fields.raw();
                    case "durable" -> durable = fields.raw();
                    case "origin" -> origin = fields.object(RecordOrigin::of);
                    case "reply" -> reply = fields.object(ReplyTo::of);
                    case "traceparent" -> traceparent = fields.text();
                    case "resume" -> resume = fields.raw();
                    default -> {}
                }
            }
            return new InstanceEvent(
                    Require.present(partition, "partition"),
                    Require.present(processId, "process_id"),
                    Require.present(startToken, "start_token"),
                    Require.present(seq, "seq"),
                    Require.present(type, "type"),
                    Require.present(key, "key"),
                    data,
                    durable,
                    origin,
                    reply,
                    traceparent,
                    resume);
        }
    }

    /**
     * Reply topic of a request: where its result goes besides tool-results.
     *
     * @param topic full name of the topic
     * @param partition null to let the key decide
     * @param correlationId bytes of the header, base64 on the wire
     */
    @SuppressWarnings("ArrayRecordComponent") // passed through, never compared
    public record ReplyTo(
            String topic, @Nullable Integer partition, byte @Nullable [] correlationId) {
        static ReplyTo of(Fields fields) {
            String topic = null;
            Integer partition = null;
            byte[] correlationId = null;
            for (var name = fields.next(); name != null; name = fields.next()) {
                switch (name) {
                    case "topic" -> topic = fields.text();
                    case "partition" -> partition = fields.smallNumber();
                    case "correlation_id" -> correlationId = fields.bytes();
                    default -> {}
                }
            }
            return new ReplyTo(Require.present(topic, "topic"), partition, correlationId);
        }
    }
}
