package dev.perigee.local.replay;

import dev.perigee.client.TopicTail;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A running fleet's topics. */
record ClusterSource(Cluster reached) implements Source {
    /** How far clocks may be apart. */
    private static final Duration MARGIN = Duration.ofMinutes(10);

    @Override
    public String cluster() {
        return reached.id();
    }

    @Override
    public String name() {
        return reached.name();
    }

    @Override
    public TopicNames names() {
        return reached.connection().names();
    }

    @Override
    public int partitions() {
        return reached.partitions();
    }

    @Override
    public @Nullable Instant begin() {
        return null;
    }

    @Override
    public void requireOther(Cluster target) {
        Guard.check(reached, target);
    }

    @Override
    public SelectedOffsets.Range range(Selection selection) throws InterruptedException {
        return new SelectedOffsets(reached, selection).find();
    }

    @Override
    public RecordFeed open(Plan plan, ToLongFunction<String> next) {
        var ends = new HashMap<TopicPartition, Long>();
        var begins = new HashMap<TopicPartition, Long>();
        for (var partition : SelectedOffsets.partitions(reached, plan.selection())) {
            var name = partition.toString();
            ends.put(partition, plan.to().getOrDefault(name, 0L));
            begins.put(partition, next.applyAsLong(name));
        }
        return new SourceReader(reached, begins, ends);
    }

    @Override
    public KnownTools tools() {
        var tools = new KnownTools();
        Witness.read(
                reached,
                new TopicTail.Start.Beginning(),
                List.of(Topic.TOOLS),
                record -> learn(tools, record));
        return tools;
    }

    private static void learn(KnownTools tools, ConsumerRecord<byte[], byte[]> record) {
        try {
            tools.learn(
                    new String(record.key(), StandardCharsets.UTF_8),
                    record.value() == null ? null : Event.read(record.value()));
        } catch (InvalidRecordException e) {
            // Not one that makes a tool known.
        }
    }

    @Override
    public void outcomes(Evidence evidence, Instant since, List<Topic> topics) {
        Witness.read(
                reached,
                new TopicTail.Start.Since(since.minus(MARGIN)),
                topics,
                record -> Witness.result(reached, record, evidence));
        Witness.readStatuses(reached, evidence);
    }
}
