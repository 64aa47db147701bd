package dev.perigee.local.replay;

import dev.perigee.local.replay.CheckpointTopic.Noted;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Chooses the run: a new one, or which to go on with. */
final class Runs {
    private static final DateTimeFormatter DAY_AND_TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private Runs() {}

    /** A run that has not begun. */
    static Plan begin(Source source, Selection selection, Rules rules, InstantSource clock)
            throws InterruptedException {
        var now = clock.instant();
        var range = source.range(selection);
        return new Plan(
                newId(now),
                source.name(),
                now,
                selection,
                range.from(),
                range.to(),
                range.lastAt(),
                rules.fingerprint());
    }

    private static String newId(Instant now) {
        return DAY_AND_TIME.format(now) + "-" + UUID.randomUUID().toString().substring(0, 4);
    }

    /**
     * The run that is to be gone on with.
     *
     * @param run its id, null for the latest that is not over
     * @param selection what the user selects now, null for nothing
     * @throws ReplayException when there is none, or not with this source, selection and rules
     */
    static Noted resume(
            List<Noted> runs,
            Source source,
            @Nullable String run,
            @Nullable Selection selection,
            Rules rules) {
        var found =
                runs.stream()
                        .filter(noted -> noted.plan().source().equals(source.name()))
                        .filter(noted -> run == null ? !noted.isOver() : isNamed(noted, run))
                        .findFirst()
                        .orElseThrow(() -> none(runs, run));
        var plan = found.plan();
        if (selection != null && !selection.equals(plan.selection())) {
            throw ReplayException.usage(
                    "Run "
                            + plan.run()
                            + " began with another selection: leave --since, --until, --partitions,"
                            + " --team, --user, --installation and --include-requests out, or"
                            + " begin a new run");
        }
        if (!rules.fingerprint().equals(plan.rules())) {
            throw ReplayException.usage(
                    "Run "
                            + plan.run()
                            + " began with other rules: name the same file by --rewrite and the same"
                            + " --recorded-servers, or begin a new run");
        }
        return found;
    }

    private static boolean isNamed(Noted noted, String run) {
        return noted.plan().run().equals(run);
    }

    private static ReplayException none(List<Noted> runs, @Nullable String run) {
        var known =
                runs.stream()
                        .limit(5)
                        .map(noted -> noted.plan().run() + (noted.isOver() ? " (over)" : ""))
                        .collect(Collectors.joining(", "));
        return ReplayException.usage(
                (run == null ? "No run from this source is unfinished" : "There is no run " + run)
                        + " in the target"
                        + (known.isEmpty() ? "" : "; the latest are " + known)
                        + ". Leave --resume out to begin one");
    }
}
