package dev.perigee.local.replay;

import dev.perigee.local.replay.CheckpointTopic.Noted;
import dev.perigee.local.replay.ReplayJob.From;
import dev.perigee.local.replay.ReplayJob.Mode;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Objects;
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
        var source =
                switch (job.source()) {
                    case From.Fleet(var connection) ->
                            new ClusterSource(Cluster.look(connection, "--from"));
                    case From.Recording(var file) -> recording(file);
                };
        var target = Cluster.look(job.target(), "--to");
        source.requireOther(target);
        return switch (job.mode()) {
            case Mode.DryRun() -> dryRun(source, target);
            case Mode.Begin() -> begin(source, target);
            case Mode.Resume(var run) -> resume(source, target, run);
        };
    }

    private Source recording(Path file) {
        var source = RecordingSource.read(file);
        source.remarks().forEach(listener::warn);
        return source;
    }

    private ReplayResult dryRun(Source source, Cluster target) throws InterruptedException {
        var plan = Runs.begin(source, selection(), job.rules(), clock);
        listener.began(plan, false);
        try (var copier = copier(source, target, plan, start(plan), null)) {
            copier.copyAll();
            return result(source, target, plan, copier, null);
        }
    }

    private ReplayResult begin(Source source, Cluster target) throws InterruptedException {
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

    private ReplayResult resume(Source source, Cluster target, @Nullable String run)
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
            Source source, Cluster target, Plan plan, Checkpoint from, TargetWriter writer)
            throws InterruptedException {
        try (var copier = copier(source, target, plan, from, writer)) {
            copier.copyAll();
            tellMasked(copier.findings());
            var comparison =
                    new Witness(source, target, plan).compare(job.patience(), listener::awaiting);
            writer.commit(copier.checkpoint(true));
            return result(source, target, plan, copier, comparison);
        }
    }

    /** A server that is given a mask in place of a key may fail by that alone. */
    private void tellMasked(RewriteFindings findings) {
        if (job.rules().recordedServers() == null && !findings.masked().isEmpty()) {
            listener.warn(
                    "Servers were given masks instead of "
                            + String.join(", ", findings.masked())
                            + ": --rewrite says what staging has instead, docs/replay.md");
        }
    }

    private static Checkpoint start(Plan plan) {
        return new Checkpoint(plan.from(), Tally.Counts.NONE, false);
    }

    private Selection selection() {
        return job.selection() == null ? Selection.all() : job.selection();
    }

    private Copier copier(
            Source source,
            Cluster target,
            Plan plan,
            Checkpoint from,
            @Nullable TargetWriter writer) {
        var judge =
                new RecordJudge(
                        source.names(),
                        source.partitions(),
                        plan.selection(),
                        tools(source, plan.selection()),
                        target.name());
        return new Copier(source, target, plan, from, judge, job, writer, listener, clock);
    }

    private static KnownTools tools(Source source, Selection selection) {
        return selection.requests() == IncludedRequests.NONE ? new KnownTools() : source.tools();
    }

    private static ReplayResult result(
            Source source,
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
