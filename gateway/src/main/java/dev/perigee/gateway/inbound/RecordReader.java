package dev.perigee.gateway.inbound;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.Extension;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.inbound.Inbound.ReportRead;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.NumberRange;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Turns a consumer's record into what it says, or into the reason why it cannot be acted on. Every
 * rule of the contract about what comes in (required fields, types, key and partition, reply
 * headers) is checked here and nowhere else; {@code docs/reference/topics.md} lists them. Pure.
 */
public final class RecordReader {
    /** It is copied to every partition. */
    private static final int LARGEST_BROADCAST = 64 << 10;

    private final ReplyTopics replyTopics;
    private final int partitions;
    private final long maxBytes;
    private final Duration defaultTimeout;
    private final Duration longestInput;
    private final BrokerClock brokers;
    private final PlainSecrets plain;
    private final boolean sealed;

    /**
     * For who compares no times of records with a clock.
     *
     * @param partitions how many process partitions there are
     * @param maxBytes largest value that can be carried to a worker
     * @param defaultTimeout of a request that names none
     */
    public RecordReader(
            ReplyTopics replyTopics, int partitions, long maxBytes, Duration defaultTimeout) {
        this(
                replyTopics,
                partitions,
                maxBytes,
                defaultTimeout,
                Duration.ofMillis(ToolRequest.DEFAULT_INPUT_TIMEOUT_MS),
                new BrokerClock(),
                PlainSecrets.ALLOW,
                true);
    }

    /**
     * The same.
     *
     * @param longestInput how long the questions of one request may wait for answers, all together
     * @param brokers what is known of the clock that writes the times of records
     * @param plain whether a configuration may have secrets as plain text
     * @param sealed whether the state topic is encrypted: else no configuration may have OAuth,
     *     whose tokens would be there
     */
    public RecordReader(
            ReplyTopics replyTopics,
            int partitions,
            long maxBytes,
            Duration defaultTimeout,
            Duration longestInput,
            BrokerClock brokers,
            PlainSecrets plain,
            boolean sealed) {
        this.plain = plain;
        this.sealed = sealed;
        this.longestInput = longestInput;
        this.brokers = brokers;
        this.replyTopics = replyTopics;
        this.partitions = partitions;
        this.maxBytes = maxBytes;
        this.defaultTimeout = defaultTimeout;
    }

    /** Reads a record of commands or tool-requests. */
    public Inbound read(Topic topic, ConsumerRecord<byte[], byte[]> source) {
        return read(topic, source, source.topic());
    }

    /**
     * The same.
     *
     * @param name what workers know the topic by
     */
    public Inbound read(Topic topic, ConsumerRecord<byte[], byte[]> source, String name) {
        var origin = new RecordOrigin(name, source.partition(), source.offset());
        byte[] value = source.value() == null ? new byte[0] : source.value();
        try {
            if (value.length == 0) {
                throw new Refusal(DeadLetterReason.MALFORMED, "the record has no value");
            }
            if (value.length > maxBytes) {
                throw new Refusal(
                        DeadLetterReason.TOO_LARGE,
                        "value is larger than " + maxBytes + " bytes, shorten it");
            }
            var key = RecordKey.parse(source.key());
            if (topic == Topic.TOOL_REQUESTS) {
                return request(origin, key, value, source);
            }
            return RecordHeaders.isReport(source.headers())
                    ? report(origin, value, source)
                    : command(origin, key, value, source);
        } catch (Refusal refusal) {
            return refuse(topic, source, refusal.reason, refusal.detail);
        } catch (InvalidRecordException invalid) {
            var reason =
                    invalid.isMalformed() ? DeadLetterReason.MALFORMED : DeadLetterReason.INVALID;
            return refuse(topic, source, reason, detail(invalid));
        }
    }

    private CommandRead command(
            RecordOrigin origin,
            RecordKey key,
            byte[] value,
            ConsumerRecord<byte[], byte[]> source) {
        var command = Json.readInput(value, Command.class);
        var payload = command.payload();
        var config = payload.config();
        requireKey(key.teamId(), payload.teamId());
        requireKey(key.userId(), payload.userId());
        if (config != null) {
            requireKey(key.teamId(), config.teamId());
            requireKey(key.userId(), config.userId());
            if (config.oauth() != null && !sealed) {
                throw InvalidRecordException.invalid(
                        "field config.oauth needs gateways with state.encryption-keys, so that"
                                + " tokens are kept encrypted");
            }
            var refused = plain.refusal(config);
            if (refused != null) {
                throw InvalidRecordException.invalid(refused);
            }
        }
        var copyOf = RecordHeaders.copyOf(source.headers());
        requirePartition(source, copyOf == null ? source.partition() : copyOf.record().partition());
        // A copy is the original re-encoded, which may be longer.
        if (key.userId() == null && copyOf == null && value.length > LARGEST_BROADCAST) {
            throw new Refusal(
                    DeadLetterReason.TOO_LARGE,
                    "a command for every user is larger than " + LARGEST_BROADCAST + " bytes");
        }
        if (key.userId() != null && copyOf != null) {
            throw InvalidRecordException.invalid("only a command for every user is copied");
        }
        var action = CommandAction.of(command);
        if (action instanceof CommandAction.Unknown(var what)) {
            throw new Refusal(DeadLetterReason.UNSUPPORTED, "this version does not know " + what);
        }
        return new CommandRead(
                origin,
                key,
                command,
                action,
                appendedAt(source),
                copyOf,
                RecordHeaders.traceparent(source.headers()));
    }

    private ReportRead report(
            RecordOrigin origin, byte[] value, ConsumerRecord<byte[], byte[]> source) {
        requirePartition(source, source.partition());
        return new ReportRead(origin, Json.read(value, BroadcastReport.class));
    }

    /** By this gateway's clock, where a broker's wrote it. Of other clocks nothing is known. */
    private Instant appendedAt(ConsumerRecord<byte[], byte[]> source) {
        var written = writtenAt(source);
        return source.timestampType() == TimestampType.LOG_APPEND_TIME
                ? brokers.own(written)
                : written;
    }

    private static Instant writtenAt(ConsumerRecord<byte[], byte[]> source) {
        return Instant.ofEpochMilli(Math.max(0, source.timestamp()));
    }

    private RequestRead request(
            RecordOrigin origin,
            RecordKey key,
            byte[] value,
            ConsumerRecord<byte[], byte[]> source) {
        var request = ToolRequest.read(value);
        request.requireLimits();
        requireKey(key.teamId(), request.teamId());
        requireKey(key.userId(), request.userId());
        requirePartition(source, source.partition());
        var reply = RecordHeaders.reply(source.headers());
        if (reply != null && !replyTopics.allows(reply.topic())) {
            throw new Refusal(
                    DeadLetterReason.FORBIDDEN_REPLY_TOPIC,
                    "the reply topic matches no pattern of replies.allowed-topics");
        }
        var method = ToolMethod.of(request.method());
        if (method == null) {
            throw InvalidRecordException.invalid("field method is none this version knows");
        }
        var appended = appendedAt(source);
        long timeout = timeout(request);
        return new RequestRead(
                origin,
                request,
                method,
                method.needsServer() ? ToolPath.parse(request.toolPath()) : null,
                appended,
                appended.plusMillis(timeout),
                writtenAt(source).plusMillis(timeout),
                reply,
                RecordHeaders.traceparent(source.headers()),
                extension(request, timeout),
                request.accepts(CallPart.INPUT) ? longestInput : null,
                RecordHeaders.tracestate(source.headers()));
    }

    private static @Nullable Extension extension(ToolRequest request, long timeout) {
        var each = request.extendOnProgressMs();
        var most = request.maxTimeoutMs();
        if (each == null) {
            return null;
        }
        long last = most == null ? ToolRequest.DEFAULT_MAX_TIMEOUT_MS : most;
        return last <= timeout
                ? null
                : new Extension(Duration.ofMillis(each), Duration.ofMillis(last - timeout));
    }

    private long timeout(ToolRequest request) {
        return NumberRange.TIMEOUT_MS.within(
                request.timeoutMs() == null ? defaultTimeout.toMillis() : request.timeoutMs());
    }

    /** A record that becomes a dead letter for a reason found elsewhere. */
    public Rejected refuse(
            Topic topic,
            ConsumerRecord<byte[], byte[]> source,
            DeadLetterReason reason,
            String detail) {
        byte[] value = source.value() == null ? new byte[0] : source.value();
        var origin = new RecordOrigin(source.topic(), source.partition(), source.offset());
        var addressee =
                topic == Topic.COMMANDS
                        ? Addressees.ofCommand(value)
                        : Addressees.ofRequest(value, replyIfAllowed(source));
        return new Rejected(
                origin, reason, detail, addressee, RecordHeaders.traceparent(source.headers()));
    }

    private @Nullable ReplyTo replyIfAllowed(ConsumerRecord<byte[], byte[]> source) {
        try {
            var reply = RecordHeaders.reply(source.headers());
            return reply != null && replyTopics.allows(reply.topic()) ? reply : null;
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    /** The partition where a record was first written must be the one of its key. */
    private void requirePartition(ConsumerRecord<byte[], byte[]> source, int partition) {
        int expected = Utils.toPositive(Utils.murmur2(source.key())) % partitions;
        if (expected != partition) {
            throw new Refusal(
                    DeadLetterReason.MISROUTED,
                    "key belongs to partition "
                            + expected
                            + " of "
                            + partitions
                            + ": partition by murmur2 (librdkafka: partitioner=murmur2_random)");
        }
    }

    /** A field that the value has must be what the key says. */
    private static void requireKey(@Nullable String inKey, @Nullable String inValue) {
        if (inValue != null && !inValue.equals(inKey)) {
            throw InvalidRecordException.invalid("key is not {team_id}/{user_id} of the value");
        }
    }

    private static String detail(InvalidRecordException invalid) {
        return invalid.getMessage() == null ? "not valid" : invalid.getMessage();
    }

    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final DeadLetterReason reason;
        private final String detail;

        Refusal(DeadLetterReason reason, String detail) {
            super(detail, null, false, false);
            this.reason = reason;
            this.detail = detail;
        }
    }
}
