package dev.perigee.local.cli;

import dev.perigee.local.cli.WorkerAdmin.Drain;
import dev.perigee.local.cli.WorkerAdmin.Left;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shows how a drain goes: a line for each partition that left, and one for the end. */
final class DrainReport {
    private static final int STUCK_LOOKS = 3;
    private static final int FAILED_LOOKS = 3;

    private final String workerId;
    private final Output output;
    private final Consumer<String> warn;
    private final long begin = System.nanoTime();
    private @Nullable Set<Integer> before;
    private int total;
    private int stuckLooks;
    private int failedLooks;

    DrainReport(String workerId, Output output, Consumer<String> warn) {
        this.workerId = workerId;
        this.output = output;
        this.warn = warn;
    }

    /** Begins a drain and waits for its end; an exit code. */
    int follow(WorkerAdmin pages, Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        Drain drain = pages.drain(timeout);
        while (!isOver(drain)) {
            if (System.nanoTime() - end > 0) {
                return timeOver(drain);
            }
            Thread.sleep(WorkerAdmin.POLL); // The page tells when it is asked.
            drain = progress(pages, drain);
        }
        return ended(drain);
    }

    /** One look that fails, or two, are no end: a page is slow where its worker is busy. */
    private Drain progress(WorkerAdmin pages, Drain last) throws InterruptedException {
        try {
            var now = pages.progress();
            failedLooks = 0;
            return now;
        } catch (CliException e) {
            failedLooks++;
            if (failedLooks == FAILED_LOOKS) {
                throw e;
            }
            return last;
        }
    }

    /** Shows what changed; true when there is nothing more to wait for. */
    boolean isOver(Drain drain) {
        show(drain);
        // A gateway may only not have seen the other workers yet.
        stuckLooks = drain.isStuck() ? stuckLooks + 1 : 0;
        return isDrained(drain) || isUndone(drain) || stuckLooks == STUCK_LOOKS;
    }

    /** The end that there was nothing more to wait for. */
    int ended(Drain drain) {
        if (isDrained(drain)) {
            say(
                    "%s is drained: %d partitions left it in %.1f s. It takes nothing new until it is"
                                    .formatted(workerId, total, seconds())
                            + " restarted, or by 'perigee drain "
                            + workerId
                            + " --undo'.");
            return ExitCode.OK;
        }
        if (isUndone(drain)) {
            warn.accept("Somebody else took the drain back.");
            return ExitCode.FAILED;
        }
        return stays(drain, "There is nowhere to go for " + numbers(drain.partitions()) + ".");
    }

    int timeOver(Drain drain) {
        return stays(drain, "The time is over; still there: " + numbers(drain.partitions()) + ".");
    }

    int undone(Drain drain) {
        if (isUndone(drain)) {
            say(workerId + " takes sessions again.");
            return ExitCode.OK;
        }
        warn.accept(workerId + " is stopping: that cannot be undone.");
        return ExitCode.FAILED;
    }

    private int stays(Drain drain, String what) {
        warn.accept(what);
        for (var each : drain.partitions()) {
            warn.accept("  " + line(each));
        }
        warn.accept("The drain goes on; 'perigee drain " + workerId + " --undo' takes it back.");
        return ExitCode.FAILED;
    }

    private static String line(Left left) {
        var gateway = left.gatewayId() == null ? "no gateway has it" : left.gatewayId();
        return "partition %d: %s, %d processes, %d calls%s"
                .formatted(
                        left.partition(),
                        gateway,
                        left.processes(),
                        left.requests(),
                        left.stays() == null ? "" : ", " + left.stays());
    }

    private void show(Drain drain) {
        var now =
                drain.partitions().stream()
                        .map(Left::partition)
                        .collect(Collectors.toCollection(TreeSet::new));
        var known = before;
        before = now;
        if (known == null) {
            total = now.size();
            say("%s has %d partitions to leave".formatted(workerId, total));
        } else {
            int left = total - known.size();
            for (var partition : known) {
                if (!now.contains(partition)) {
                    left++;
                    say(
                            "%s: partition %d left, %d of %d"
                                    .formatted(workerId, partition, left, total));
                }
            }
        }
        if (output.isJson() && !now.equals(known)) {
            output.json(drain);
        }
    }

    private void say(String line) {
        if (!output.isJson()) {
            output.line(line);
        }
    }

    private static boolean isDrained(Drain drain) {
        return drain.partitions().isEmpty() && !isUndone(drain);
    }

    private static boolean isUndone(Drain drain) {
        return drain.phase().equals("serving");
    }

    private double seconds() {
        return Duration.ofNanos(System.nanoTime() - begin).toMillis() / 1000.0;
    }

    private static String numbers(List<Left> left) {
        return left.stream()
                .map(each -> Integer.toString(each.partition()))
                .collect(Collectors.joining(", "));
    }
}
