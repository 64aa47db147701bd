package dev.perigee.local.replay;

import dev.perigee.local.masking.Masks;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Copies the planned records, each when it is due, and keeps count. Without a writer it only
 * counts, and waits for nothing. For one thread.
 *
 * <p>A command for every user is in a transaction of its own: in the target, too, what came before
 * it was appended before it, and what came after it after it.
 */
final class Copier {
    private static final Duration SLICE = Duration.ofMillis(500);

    /** What the target's topics take, with room for headers. */
    private static final int LARGEST_BYTES = (17 << 20) - (64 << 10);

    private final Cluster source;
    private final Cluster target;
    private final Plan plan;
    private final RecordJudge judge;
    private final Rewriter rewriter;
    private final Pace pace;
    private final Speed speed;
    private final @Nullable TargetWriter writer;
    private final ReplayListener listener;
    private final InstantSource clock;
    private final Findings findings = new Findings();
    private final Tally tally;
    private final Map<String, Long> next;
    private final Map<Integer, Long> byPartition = new TreeMap<>();
    private final long begunNanos = System.nanoTime();
    private long left;
    private long looked;
    private long sent;
    private @Nullable Instant at;

    Copier(
            Cluster source,
            Cluster target,
            Plan plan,
            Checkpoint from,
            RecordJudge judge,
            ReplayJob job,
            @Nullable TargetWriter writer,
            ReplayListener listener,
            InstantSource clock) {
        this.source = source;
        this.target = target;
        this.plan = plan;
        this.judge = judge;
        this.rewriter =
                new Rewriter(new ReplayIds(plan.run()), job.rules(), Masks.random(), findings);
        this.speed = job.speed();
        this.pace = new Pace(writer == null ? Speed.MAX : speed);
        this.writer = writer;
        this.listener = listener;
        this.clock = clock;
        this.tally = new Tally(from.counts());
        this.next = new HashMap<>(from.next());
        plan.to().forEach((partition, end) -> left += Math.max(0, end - nextOf(partition)));
    }

    /** Copies until the end of the plan. */
    void copyAll() throws InterruptedException {
        var ends = new HashMap<TopicPartition, Long>();
        var begins = new HashMap<TopicPartition, Long>();
        for (var partition : Offsets.partitions(source, plan.selection())) {
            var name = partition.toString();
            ends.put(partition, plan.to().getOrDefault(name, 0L));
            begins.put(partition, nextOf(name));
        }
        try (var reader = new SourceReader(source, begins, ends)) {
            for (var record = reader.next(); record != null; record = reader.next()) {
                take(record);
                if (writer != null && writer.isFull()) {
                    writer.commit(checkpoint(false));
                }
                tell();
            }
        }
        next.putAll(plan.to());
        left = 0;
        if (writer != null) {
            writer.commit(checkpoint(false));
        }
        tell();
    }

    private void take(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
        at = Instant.ofEpochMilli(Math.max(0, record.timestamp()));
        var topic =
                record.topic().equals(source.topic(Topic.COMMANDS))
                        ? Topic.COMMANDS
                        : Topic.TOOL_REQUESTS;
        switch (judge.judge(topic, record)) {
            case Verdict.NotWanted() -> {
                tally.notWanted();
                passed(record);
            }
            case Verdict.Refused(var reason) -> {
                tally.refused(reason);
                passed(record);
            }
            case Verdict.Selected selected -> copy(selected, record);
        }
    }

    private void copy(Verdict.Selected selected, ConsumerRecord<byte[], byte[]> record)
            throws InterruptedException {
        awaitDue(Instant.ofEpochMilli(record.timestamp()));
        var copy = rewriter.copy(selected, record, clock.instant());
        if (copy.value().size() > LARGEST_BYTES) {
            tally.refused(Refusal.TOO_LARGE);
            passed(record);
            return;
        }
        boolean alone = copy.key().isEveryUser();
        if (alone) {
            commitOpen();
        }
        var key = copy.key().toString().getBytes(StandardCharsets.UTF_8);
        int partition = TargetWriter.partition(key, target.partitions());
        if (writer != null) {
            writer.send(marked(selected, record, partition, key, copy.value().bytes()));
        }
        tally.sent(selected.what());
        byPartition.merge(partition, 1L, Long::sum);
        sent++;
        passed(record);
        if (alone) {
            commitOpen();
        }
    }

    private ProducerRecord<byte[], byte[]> marked(
            Verdict.Selected selected,
            ConsumerRecord<byte[], byte[]> original,
            int partition,
            byte[] key,
            byte[] value) {
        var copy = new ProducerRecord<>(target.topic(selected.topic()), partition, key, value);
        var of = source.id() + "/" + original.topic() + "-" + original.partition();
        ReplayHeaders.add(copy.headers(), ReplayHeaders.OF, of + "@" + original.offset());
        ReplayHeaders.add(copy.headers(), ReplayHeaders.RUN, plan.run());
        ReplayHeaders.add(copy.headers(), ReplayHeaders.ID, selected.id());
        ReplayHeaders.add(copy.headers(), ReplayHeaders.AT, Long.toString(original.timestamp()));
        return copy;
    }

    private void awaitDue(Instant appendedAt) throws InterruptedException {
        var wait = pace.untilDue(appendedAt, System.nanoTime());
        if (!wait.isZero()) {
            commitOpen();
        }
        while (!wait.isZero()) {
            Thread.sleep(wait.compareTo(SLICE) < 0 ? wait : SLICE);
            tell();
            wait = pace.untilDue(appendedAt, System.nanoTime());
        }
    }

    private void commitOpen() {
        if (writer != null && writer.hasOpen()) {
            writer.commit(checkpoint(false));
        }
    }

    private void passed(ConsumerRecord<byte[], byte[]> record) {
        var partition = record.topic() + "-" + record.partition();
        long before = nextOf(partition);
        next.put(partition, record.offset() + 1);
        looked += record.offset() + 1 - before;
        left -= record.offset() + 1 - before;
    }

    private long nextOf(String partition) {
        return next.getOrDefault(partition, plan.from().getOrDefault(partition, 0L));
    }

    private void tell() {
        listener.moved(
                new ReplayProgress(
                        looked,
                        Math.max(0, left),
                        sent,
                        Duration.ofNanos(System.nanoTime() - begunNanos),
                        at,
                        plan.lastAt(),
                        writer == null ? Speed.MAX : speed));
    }

    /** How far it has come. */
    Checkpoint checkpoint(boolean isOver) {
        return new Checkpoint(next, tally.counts(), isOver);
    }

    Findings findings() {
        return findings;
    }

    Map<Integer, Long> byPartition() {
        return Map.copyOf(byPartition);
    }
}
