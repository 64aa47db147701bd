package dev.perigee.local.replay;

import dev.perigee.client.TopicTail;
import dev.perigee.local.replay.CheckpointTopic.Noted;
import dev.perigee.local.replay.ReplayJob.Mode;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Replays: looks at both clusters, copies what is selected, and compares. Used once, by one thread,
 * which it keeps until all is done.
 */
public final class Replay {
    private final ReplayJob job;
    private final ReplayListener listener;
    private final InstantSource clock;

    public Replay(ReplayJob job, ReplayListener listener, InstantSource clock) {
        this.job = job;
        this.listener = listener;
        this.clock = clock;
    }

    /**
     * Runs to the end.
     *
     * @throws ReplayException when it cannot begin or not go on; what was sent stays noted
     */
    public ReplayResult run() throws InterruptedException {
        var source = Cluster.look(job.source(), "--from");
        var target = Cluster.look(job.target(), "--to");
        Guard.check(source, target);
        return switch (job.mode()) {
            case Mode.DryRun() -> dryRun(source, target);
            case Mode.Begin() -> begin(source, target);
            case Mode.Resume(var run) -> resume(source, target, run);
        };
    }

    private ReplayResult dryRun(Cluster source, Cluster target) throws InterruptedException {
        var plan = Runs.begin(source, selection(), job.rules(), clock);
        listener.began(plan, false);
        var copier = copier(source, target, plan, start(plan), null);
        copier.copyAll();
        return result(source, target, plan, copier, null);
    }

    private ReplayResult begin(Cluster source, Cluster target) throws InterruptedException {
        var plan = Runs.begin(source, selection(), job.rules(), clock);
        var checkpoints = new CheckpointTopic(target);
        checkpoints.create();
        for (var noted : checkpoints.runs()) {
            if (!noted.isOver() && noted.plan().source().equals(source.name())) {
                listener.warn(
                        "Run "
                                + noted.plan().run()
                                + " was not finished; --resume goes on with it");
                break;
            }
        }
        listener.began(plan, false);
        try (var writer = new TargetWriter(target, checkpoints, plan.run())) {
            writer.begin(plan, start(plan));
            return copyAndCompare(source, target, plan, start(plan), writer);
        }
    }

    private ReplayResult resume(Cluster source, Cluster target, @Nullable String run)
            throws InterruptedException {
        var checkpoints = new CheckpointTopic(target);
        var plan =
                Runs.resume(checkpoints.runs(), source, run, job.selection(), job.rules()).plan();
        try (var writer = new TargetWriter(target, checkpoints, plan.run())) {
            // Only now nobody else writes for this run: how far it came is final.
            var checkpoint =
                    checkpoints.settledRuns().stream()
                            .filter(noted -> noted.plan().run().equals(plan.run()))
                            .map(Noted::checkpoint)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElseGet(() -> start(plan));
            listener.began(plan, true);
            return copyAndCompare(source, target, plan, checkpoint, writer);
        }
    }

    private ReplayResult copyAndCompare(
            Cluster source, Cluster target, Plan plan, Checkpoint from, TargetWriter writer)
            throws InterruptedException {
        var copier = copier(source, target, plan, from, writer);
        copier.copyAll();
        var comparison =
                new Witness(source, target, plan).compare(job.patience(), listener::awaiting);
        writer.commit(copier.checkpoint(true));
        return result(source, target, plan, copier, comparison);
    }

    private static Checkpoint start(Plan plan) {
        return new Checkpoint(plan.from(), Tally.Counts.NONE, false);
    }

    private Selection selection() {
        return job.selection() == null ? Selection.all() : job.selection();
    }

    private Copier copier(
            Cluster source,
            Cluster target,
            Plan plan,
            Checkpoint from,
            @Nullable TargetWriter writer) {
        var judge =
                new RecordJudge(
                        source.connection().names(),
                        source.partitions(),
                        plan.selection(),
                        tools(source, plan.selection()),
                        target.name());
        return new Copier(source, target, plan, from, judge, job, writer, listener, clock);
    }

    private static KnownTools tools(Cluster source, Selection selection) {
        var tools = new KnownTools();
        if (selection.requests() != IncludedRequests.NONE) {
            Witness.read(
                    source,
                    new TopicTail.Start.Beginning(),
                    List.of(Topic.TOOLS),
                    record -> learn(tools, record));
        }
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

    private static ReplayResult result(
            Cluster source,
            Cluster target,
            Plan plan,
            Copier copier,
            @Nullable Comparison comparison) {
        return new ReplayResult(
                plan,
                source.partitions(),
                target.partitions(),
                copier.checkpoint(false).counts(),
                copier.findings(),
                copier.byPartition(),
                comparison);
    }
}
