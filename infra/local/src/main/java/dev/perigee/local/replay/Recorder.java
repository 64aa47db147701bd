package dev.perigee.local.replay;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.masking.Masks;
import dev.perigee.local.masking.RecordMasking;
import dev.perigee.local.masking.SecretIndex.TooManySecretsException;
import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingJson;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes a time span of a fleet's topics into a recording. Reads it twice: once to learn its
 * secrets, also from commands before the span, and once to write it without them. Of what was
 * before the span the recording has what was true when it began: the latest configuration of each
 * installation, and the catalogues and statuses that the compacted topics still have. Holds one
 * batch of each partition, the secrets, and a place for each installation. Used once, by one
 * thread.
 */
public final class Recorder {
    private static final List<Topic> TOPICS =
            List.of(
                    Topic.COMMANDS,
                    Topic.TOOL_REQUESTS,
                    Topic.TOOL_RESULTS,
                    Topic.COMMAND_RESULTS,
                    Topic.STATUS,
                    Topic.TOOLS);

    private static final List<String> HEADERS =
            List.of(
                    ReplayHeaders.OF,
                    ReplayHeaders.RUN,
                    ReplayHeaders.ID,
                    ReplayHeaders.AT,
                    Headers.BROADCAST_OF,
                    Headers.BROADCAST_AT,
                    Headers.BROADCAST_REPORT);

    private final KafkaConnection connection;
    private final @Nullable Instant since;
    private final @Nullable Instant until;
    private final @Nullable String run;
    private final String version;
    private final LongConsumer progress;
    private final InstantSource clock;
    private final RecordMasking masking = new RecordMasking(Masks.random());
    private final Preamble preamble = new Preamble();
    private final Map<Topic, Long> counts = new EnumMap<>(Topic.class);
    private final Map<String, Topic> names = new HashMap<>();
    private long looked;
    private long unreadable;

    /**
     * @param since begin of the span; null for all that is there
     * @param until its end; null for now
     * @param run only commands and requests that this replay sent; null for all
     * @param progress is told how many records were looked at, now and then
     */
    public Recorder(
            KafkaConnection connection,
            @Nullable Instant since,
            @Nullable Instant until,
            @Nullable String run,
            String version,
            LongConsumer progress,
            InstantSource clock) {
        this.connection = connection;
        this.since = since;
        this.until = until;
        this.run = run;
        this.version = version;
        this.progress = progress;
        this.clock = clock;
        TOPICS.forEach(topic -> names.put(connection.names().of(topic), topic));
    }

    /**
     * What was recorded.
     *
     * @param counts records by topic
     * @param unreadable records left out since their values are no JSON objects: what they hold
     *     cannot be masked
     * @param masked values that were replaced
     * @param secrets different secrets that are replaced wherever they stand
     */
    public record Result(
            Map<String, Long> counts, long unreadable, long masked, int secrets, long bytes) {
        public Result {
            counts = Map.copyOf(counts);
        }
    }

    /**
     * Records.
     *
     * @throws ReplayException when the cluster does not answer, or has more secrets than fit
     */
    public Result record(Path file) throws InterruptedException {
        var source = Cluster.look(connection, "--from");
        var now = clock.instant();
        var end = until == null || until.isAfter(now) ? now : until;
        var header =
                new RecordingHeader(
                        RecordingHeader.VERSION,
                        version,
                        source.name(),
                        source.partitions(),
                        since,
                        end,
                        now);
        try (var writer = new RecordingWriter(file, header)) {
            var span = TopicSpan.find(source, TOPICS, end);
            read(source, span, this::learn);
            masking.freeze();
            preamble.freeze();
            read(source, span, record -> write(record, writer));
            writer.finish();
            var byName = new TreeMap<String, Long>();
            counts.forEach((topic, count) -> byName.put(topic.suffix(), count));
            return new Result(
                    byName, unreadable, masking.count(), masking.secrets(), writer.bytes());
        } catch (TooManySecretsException e) {
            throw ReplayException.usage(
                    "The span has " + e.getMessage() + ": narrow it by --since and --until");
        }
    }

    private void read(
            Cluster source, TopicSpan span, Consumer<ConsumerRecord<byte[], byte[]>> take) {
        try (var reader = new SourceReader(source, span.from(), span.to())) {
            for (var record = reader.next(); record != null; record = reader.next()) {
                take.accept(record);
                if (++looked % 1_000 == 0) {
                    progress.accept(looked);
                }
            }
        }
    }

    private void learn(ConsumerRecord<byte[], byte[]> record) {
        var topic = topic(record);
        var value = value(record);
        if (value == null) {
            return;
        }
        if (topic == Topic.COMMANDS && isBefore(record)) {
            preamble.see(record, value);
        }
        if (topic == Topic.COMMANDS || !isBefore(record) || isState(topic)) {
            masking.collect(value, isFromBackend(topic));
        }
    }

    private void write(ConsumerRecord<byte[], byte[]> record, RecordingWriter writer) {
        var topic = topic(record);
        if (isBefore(record) && !isState(topic) && !preamble.has(record)) {
            return;
        }
        if (run != null && isFromBackend(topic) && !isOf(run, record)) {
            return;
        }
        var value = value(record);
        if (value == null && record.value() != null) {
            unreadable++;
            return;
        }
        var key = record.key() == null ? null : text(record.key());
        counts.merge(topic, 1L, Long::sum);
        writer.write(
                new RecordedRecord(
                        topic,
                        record.partition(),
                        record.offset(),
                        record.timestamp(),
                        key == null ? null : masking.masked(key),
                        headers(record),
                        value == null ? null : masking.masked(value, isFromBackend(topic))));
    }

    private Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
        var headers = new TreeMap<String, String>();
        for (var name : HEADERS) {
            var text = ReplayHeaders.text(record.headers(), name);
            if (text != null) {
                headers.put(name, masking.masked(text));
            }
        }
        return headers;
    }

    private boolean isBefore(ConsumerRecord<?, ?> record) {
        return since != null && record.timestamp() < since.toEpochMilli();
    }

    private static boolean isOf(String run, ConsumerRecord<?, ?> record) {
        return run.equals(ReplayHeaders.text(record.headers(), ReplayHeaders.RUN));
    }

    private static boolean isState(Topic topic) {
        return topic == Topic.TOOLS || topic == Topic.STATUS;
    }

    private static boolean isFromBackend(Topic topic) {
        return topic == Topic.COMMANDS || topic == Topic.TOOL_REQUESTS;
    }

    private Topic topic(ConsumerRecord<?, ?> record) {
        return names.getOrDefault(record.topic(), Topic.COMMANDS);
    }

    private static @Nullable JsonNode value(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return null;
        }
        try {
            var value = RecordingJson.MAPPER.readTree(record.value());
            return value instanceof ObjectNode ? value : null;
        } catch (JacksonException e) {
            return null;
        }
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
