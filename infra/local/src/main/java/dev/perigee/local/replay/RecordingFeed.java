package dev.perigee.local.replay;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** The planned commands and requests of a recording as Kafka gave them. For one thread. */
final class RecordingFeed implements RecordFeed {
    private final RecordingSource source;
    private final RecordingReader reader;
    private final Map<String, Long> ends;
    private final ToLongFunction<String> next;

    /**
     * @param reader at its begin; closed with this
     * @param ends behind which offset each partition ends; others are left out
     * @param next where each begins
     */
    RecordingFeed(
            RecordingSource source,
            RecordingReader reader,
            Map<String, Long> ends,
            ToLongFunction<String> next) {
        this.source = source;
        this.reader = reader;
        this.ends = ends;
        this.next = next;
    }

    @Override
    public @Nullable ConsumerRecord<byte[], byte[]> next() {
        for (var record = reader.next(); record != null; record = reader.next()) {
            if (RecordingSource.isSent(record.topic()) && isPlanned(record)) {
                return asRead(record);
            }
        }
        return null;
    }

    private boolean isPlanned(RecordedRecord record) {
        var partition = source.partition(record);
        return record.offset() < ends.getOrDefault(partition, 0L)
                && record.offset() >= next.applyAsLong(partition);
    }

    private ConsumerRecord<byte[], byte[]> asRead(RecordedRecord record) {
        var headers = new RecordHeaders();
        record.headers().forEach((name, text) -> ReplayHeaders.add(headers, name, text));
        var key = record.key();
        return new ConsumerRecord<>(
                source.topic(record.topic()),
                record.partition(),
                record.offset(),
                record.at(),
                TimestampType.CREATE_TIME,
                0,
                0,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                RecordingSource.bytes(record),
                headers,
                Optional.empty());
    }

    @Override
    public void close() {
        reader.close();
    }
}
