package dev.perigee.local.replay;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.jspecify.annotations.Nullable;

/**
 * Topic of runs' plans and checkpoints: compacted, {@code {prefix}replays} of the target, of one
 * partition. It is in the target because nothing is written to the source, and because a
 * transaction can then hold copies and checkpoint together. A broker is waited for two minutes at
 * most. For one thread.
 */
final class CheckpointTopic {
    static final String SUFFIX = "replays";
    private static final String PLAN = "/plan";
    private static final String CHECKPOINT = "/checkpoint";
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Cluster target;
    private final TopicPartition partition;

    CheckpointTopic(Cluster target) {
        this.target = target;
        this.partition = new TopicPartition(target.connection().names().prefix() + SUFFIX, 0);
    }

    /** A run and how far it came; a run that never came to its first checkpoint has none. */
    record Noted(Plan plan, @Nullable Checkpoint checkpoint) {
        boolean isOver() {
            return checkpoint != null && checkpoint.isOver();
        }
    }

    /** Creates the topic unless it is there. */
    void create() throws InterruptedException {
        var topic =
                new NewTopic(partition.topic(), Optional.of(1), Optional.empty())
                        .configs(Map.of("cleanup.policy", "compact"));
        try (var admin = Admin.create(target.connection().clientConfig(Map.of()))) {
            Cluster.answered(admin.createTopics(List.of(topic)).all());
        } catch (ExecutionException | TimeoutException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw target.explained(e);
            }
        }
    }

    ProducerRecord<byte[], byte[]> record(Plan plan) {
        return noted(plan.run() + PLAN, plan);
    }

    ProducerRecord<byte[], byte[]> record(String run, Checkpoint checkpoint) {
        return noted(run + CHECKPOINT, checkpoint);
    }

    private ProducerRecord<byte[], byte[]> noted(String key, Object value) {
        return new ProducerRecord<>(
                partition.topic(), 0, key.getBytes(StandardCharsets.UTF_8), Json.write(value));
    }

    /** All runs, the newest first, as far as they are committed. */
    List<Noted> runs() {
        return runs("read_committed");
    }

    /**
     * The same for good. Waits for transactions that are under way, whosever they are: what was
     * committed behind them cannot be seen before.
     */
    List<Noted> settledRuns() {
        return runs("read_uncommitted");
    }

    private List<Noted> runs(String endOf) {
        var plans = new HashMap<String, Plan>();
        var checkpoints = new HashMap<String, Checkpoint>();
        try (var last = target.consumer(Map.of("isolation.level", endOf));
                var consumer = target.consumer(Map.of())) {
            var known = last.partitionsFor(partition.topic());
            if (known == null || known.isEmpty()) {
                return List.of();
            }
            long end = last.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (consumer.position(partition) < end) {
                for (var record : consumer.poll(POLL)) {
                    take(record.key(), record.value(), plans, checkpoints);
                }
                if (System.nanoTime() - deadline > 0) {
                    throw ReplayException.unavailable(
                            "A transaction on "
                                    + partition.topic()
                                    + " does not end: is another replay under way?");
                }
            }
        } catch (KafkaException e) {
            throw target.explained(e);
        }
        var runs = new ArrayList<Noted>();
        plans.forEach((run, plan) -> runs.add(new Noted(plan, checkpoints.get(run))));
        runs.sort(Comparator.comparing((Noted noted) -> noted.plan().startedAt()).reversed());
        return runs;
    }

    private static void take(
            byte[] key,
            byte @Nullable [] value,
            Map<String, Plan> plans,
            Map<String, Checkpoint> checkpoints) {
        var name = new String(key, StandardCharsets.UTF_8);
        var run = name.substring(0, Math.max(0, name.lastIndexOf('/')));
        if (value == null) {
            return;
        }
        try {
            if (name.endsWith(PLAN)) {
                plans.put(run, Json.read(value, Plan.class));
            } else if (name.endsWith(CHECKPOINT)) {
                checkpoints.put(run, Json.read(value, Checkpoint.class));
            }
        } catch (InvalidRecordException e) {
            // Written by something newer or foreign: not a run that we could go on with.
            plans.remove(run);
        }
    }
}
