package dev.perigee.local.replay;

import dev.perigee.client.TopicTail;
import dev.perigee.local.masking.Masks;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Copies the planned records, each when it is due, and keeps count. Without a writer it only
 * counts, and waits for nothing. For one thread.
 *
 * <p>A command for every user is in a transaction of its own: in the target, too, what came before
 * it was appended before it, and what came after it after it.
 */
final class Copier implements AutoCloseable {
    /** What the target's topics take, with room for headers. */
    private static final int LARGEST_BYTES = (17 << 20) - (64 << 10);

    private final Source source;
    private final Cluster target;
    private final Plan plan;
    private final RecordJudge judge;
    private final Rewriter rewriter;
    private final ReplayPacing turns;
    private final ReplayIds ids;
    private final Speed speed;
    private final @Nullable TargetWriter writer;
    private final ReplayListener listener;
    private final InstantSource clock;
    private final RewriteFindings findings = new RewriteFindings();
    private final Tally tally;
    private final Map<String, Long> next;
    private final Map<Integer, Long> byPartition = new TreeMap<>();
    private final long begunNanos = System.nanoTime();
    private final ReplayPacing.Meanwhile waiting =
            new ReplayPacing.Meanwhile() {
                @Override
                public void commit() {
                    commitOpen();
                }

                @Override
                public void tell() {
                    Copier.this.tell();
                }
            };
    private long left;
    private long looked;
    private long sent;
    private @Nullable Instant at;

    Copier(
            Source source,
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
        this.ids = new ReplayIds(plan.run());
        this.rewriter = new Rewriter(ids, job.rules(), Masks.random(), findings);
        this.speed = job.speed();
        this.writer = writer;
        this.turns = turns(job, from);
        this.listener = listener;
        this.clock = clock;
        this.tally = new Tally(from.counts());
        this.next = new HashMap<>(from.next());
        plan.to().forEach((partition, end) -> left += Math.max(0, end - nextOf(partition)));
    }

    /** A dry run waits for nothing. */
    private ReplayPacing turns(ReplayJob job, Checkpoint from) {
        if (writer == null) {
            return new ReplayPacing(Speed.MAX, null, null);
        }
        boolean listens =
                !job.patience().isZero()
                        && (job.speed().factor() == null || source.begin() != null);
        return new ReplayPacing(
                job.speed(), source.begin(), listens ? unanswered(job, from) : null);
    }

    /**
     * A run that goes on waits for what it had sent of before the span, as one that begins does.
     */
    private Unanswered unanswered(ReplayJob job, Checkpoint from) {
        var begin = source.begin();
        var earlier =
                begin == null || from.next().equals(plan.from())
                        ? List.<Sent>of()
                        : new Witness(source, target, plan).sentOfBefore(begin);
        var start =
                earlier.isEmpty()
                        ? new TopicTail.Start.End()
                        : new TopicTail.Start.Since(plan.startedAt().minus(Witness.MARGIN));
        var unanswered =
                new Unanswered(
                        target,
                        plan.selection().requests() != IncludedRequests.NONE,
                        job.maxInFlight(),
                        job.patience(),
                        start);
        unanswered.sentEarlier(earlier);
        return unanswered;
    }

    /** Copies until the end of the plan. */
    void copyAll() throws InterruptedException {
        try (var reader = source.open(plan, this::nextOf)) {
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
        at = begunAt(Instant.ofEpochMilli(Math.max(0, record.timestamp())));
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

    /** What is before a recorded span is sent when the span begins. */
    private Instant begunAt(Instant appendedAt) {
        var begin = source.begin();
        return begin != null && appendedAt.isBefore(begin) ? begin : appendedAt;
    }

    private void copy(Verdict.Selected selected, ConsumerRecord<byte[], byte[]> record)
            throws InterruptedException {
        var appendedAt = Instant.ofEpochMilli(record.timestamp());
        turns.await(selected, appendedAt, waiting);
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
        turns.sent(selected, ids.of(selected.id()), appendedAt);
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
        var of = source.cluster() + "/" + original.topic() + "-" + original.partition();
        ReplayHeaders.add(copy.headers(), ReplayHeaders.OF, of + "@" + original.offset());
        ReplayHeaders.add(copy.headers(), ReplayHeaders.RUN, plan.run());
        ReplayHeaders.add(copy.headers(), ReplayHeaders.ID, selected.id());
        ReplayHeaders.add(copy.headers(), ReplayHeaders.AT, Long.toString(original.timestamp()));
        return copy;
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

    @Override
    public void close() {
        turns.close();
    }

    /** How far it has come. */
    Checkpoint checkpoint(boolean isOver) {
        return new Checkpoint(next, tally.counts(), isOver);
    }

    RewriteFindings findings() {
        return findings;
    }

    Map<Integer, Long> byPartition() {
        return Map.copyOf(byPartition);
    }
}
