package dev.perigee.gateway.deadletter;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.inbound.RecordReader;
import dev.perigee.gateway.inbound.ReplyTopics;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Makes of a dead letter the record that is put back: edited, on the partition of its key, and
 * judged by the same rules as a gateway's, so that it does not come straight back. Pure.
 */
public final class Drafter {
    private static final Set<String> OF_THE_LETTER =
            Set.of(
                    Headers.REASON,
                    Headers.DETAIL,
                    Headers.ORIGIN,
                    Headers.REDRIVEN_FROM,
                    Headers.REDRIVES);
    private static final long LARGEST_BYTES = 15 << 20;
    private static final Duration ANY = Duration.ofMinutes(1);

    private final TopicNames names;
    private final int partitions;
    private final Changes changes;
    private final InstantSource clock;
    private final RecordReader rules;
    private final boolean removals;

    /**
     * What is changed.
     *
     * @param key the new key, null keeps the old one
     * @param expiresIn new expiry of commands from now on, null keeps what they say
     * @param replyTopics which reply topics are allowed, as the gateways are configured
     * @param force put back what is refused too
     */
    public record Changes(
            Edits edits,
            @Nullable String key,
            @Nullable Duration expiresIn,
            List<String> replyTopics,
            boolean force) {
        /** None. */
        public static Changes none() {
            return new Changes(Edits.none(), null, null, List.of(), false);
        }
    }

    /**
     * For who has no gateway's rules.
     *
     * @param partitions how many process partitions there are
     */
    public Drafter(TopicNames names, int partitions, Changes changes, InstantSource clock) {
        this(
                names,
                partitions,
                changes,
                new RecordReader(
                        new ReplyTopics(names, changes.replyTopics()),
                        partitions,
                        LARGEST_BYTES,
                        ANY),
                true,
                clock);
    }

    /**
     * The same, without changes and by the rules of a gateway, for who may not remove instances:
     * commands that do are refused.
     *
     * @param rules what the gateways refuse
     */
    public Drafter(TopicNames names, int partitions, RecordReader rules, InstantSource clock) {
        this(names, partitions, Changes.none(), rules, false, clock);
    }

    private Drafter(
            TopicNames names,
            int partitions,
            Changes changes,
            RecordReader rules,
            boolean removals,
            InstantSource clock) {
        this.names = names;
        this.partitions = partitions;
        this.changes = changes;
        this.rules = rules;
        this.removals = removals;
        this.clock = clock;
    }

    /** What is to become of a letter. */
    public Draft draft(ConsumerRecord<byte[], byte[]> letter) {
        RecordOrigin origin;
        try {
            origin = RecordOrigin.parse(Letter.text(letter, Headers.ORIGIN));
        } catch (InvalidRecordException e) {
            return new Draft.Refused("it does not say where it came from");
        }
        var topic = names.topic(origin.topic());
        if (topic != Topic.COMMANDS && topic != Topic.TOOL_REQUESTS) {
            return new Draft.Refused("it came from " + origin.topic() + ", look at --prefix");
        }
        if (origin.partition() >= partitions) {
            return new Draft.Refused("its topic has fewer partitions now");
        }
        var record = record(letter, origin, topic);
        var why = changes.force() ? null : objection(topic, record);
        return why == null ? new Draft.Ready(record) : new Draft.Refused(why);
    }

    private ProducerRecord<byte[], byte[]> record(
            ConsumerRecord<byte[], byte[]> letter, RecordOrigin origin, Topic topic) {
        var newKey = changes.key();
        var key = newKey == null ? letter.key() : newKey.getBytes(StandardCharsets.UTF_8);
        var partition = key == null || isAddressed(letter) ? origin.partition() : partitionOf(key);
        var headers = new ArrayList<Header>(List.of(letter.headers().toArray()));
        headers.removeIf(header -> OF_THE_LETTER.contains(header.key()));
        headers.add(header(Headers.REDRIVEN_FROM, Letter.positionOf(letter).toString()));
        headers.add(header(Headers.REDRIVES, Integer.toString(Letter.redrivesOf(letter) + 1)));
        return new ProducerRecord<>(
                origin.topic(), partition, key, edited(letter.value(), topic), headers);
    }

    private byte @Nullable [] edited(byte @Nullable [] value, Topic topic) {
        var expiresIn = changes.expiresIn();
        return topic == Topic.COMMANDS && expiresIn != null
                ? changes.edits()
                        .set("expires_at", clock.instant().plus(expiresIn).toString())
                        .apply(value)
                : changes.edits().apply(value);
    }

    /** What gateways write for each other goes to the partition it was meant for. */
    private static boolean isAddressed(ConsumerRecord<byte[], byte[]> letter) {
        return letter.headers().lastHeader(Headers.BROADCAST_OF) != null
                || letter.headers().lastHeader(Headers.BROADCAST_REPORT) != null;
    }

    private int partitionOf(byte[] key) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    private @Nullable String objection(Topic topic, ProducerRecord<byte[], byte[]> record) {
        var now = clock.instant();
        var inbound =
                rules.read(
                        topic,
                        new ConsumerRecord<>(
                                record.topic(),
                                record.partition(),
                                0,
                                now.toEpochMilli(),
                                TimestampType.LOG_APPEND_TIME,
                                -1,
                                -1,
                                record.key(),
                                record.value(),
                                new RecordHeaders(record.headers().toArray()),
                                Optional.empty()));
        return switch (inbound) {
            case Rejected rejected -> rejected.reason().code() + ": " + rejected.detail();
            case CommandRead read when isOver(read.command().expiresAt(), now) ->
                    "it expired at " + read.command().expiresAt() + ", give it --expires-in";
            case CommandRead read when !removals && isRemoval(read.action()) ->
                    "it removes instances, which only 'perigee redrive' may put back";
            default -> null;
        };
    }

    private static boolean isRemoval(CommandAction action) {
        return action instanceof CommandAction.Delete
                || action instanceof CommandAction.RemoveMember;
    }

    private static boolean isOver(@Nullable Instant expiry, Instant now) {
        return expiry != null && expiry.isBefore(now);
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
