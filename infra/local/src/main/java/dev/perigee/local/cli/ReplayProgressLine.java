package dev.perigee.local.cli;

import dev.perigee.local.replay.Plan;
import dev.perigee.local.replay.ReplayListener;
import dev.perigee.local.replay.ReplayProgress;
import dev.perigee.part.Printer;
import dev.perigee.part.Progress;
import java.time.Duration;
import java.util.Locale;

/**
 * Shows on standard error how a replay goes: on a terminal one line that changes, elsewhere a line
 * now and then.
 */
final class ReplayProgressLine implements ReplayListener, AutoCloseable {
    private static final Duration ON_TERMINAL = Duration.ofMillis(250);
    private static final Duration ELSEWHERE = Duration.ofSeconds(10);

    private final Printer err;
    private final String name;
    private final boolean terminal = Boolean.getBoolean(Progress.ON_TERMINAL);
    private long lastNanos = System.nanoTime();
    private boolean shown;

    ReplayProgressLine(Printer err, String name) {
        this.err = err;
        this.name = name;
    }

    @Override
    public void began(Plan plan, boolean isResumed) {
        warn(
                (isResumed ? "Going on with run " : "Run ")
                        + plan.run()
                        + ": "
                        + plan.offsets()
                        + " offsets of "
                        + plan.from().size()
                        + " partitions to look at");
    }

    @Override
    public void moved(ReplayProgress progress) {
        if (isDue()) {
            var left = progress.timeLeft();
            show(
                    String.format(
                            Locale.ROOT,
                            "%3.0f %%, %d sent, %.0f/s, %s left",
                            100 * progress.part(),
                            progress.sent(),
                            progress.rate(),
                            left == null ? "?" : inWords(left)));
        }
    }

    @Override
    public void awaiting(long open) {
        if (isDue()) {
            show("All sent; waiting for staging: " + open + " results to come");
        }
    }

    /** So many records were read, of a number that is not known. */
    void looked(long records) {
        if (isDue()) {
            show(records + " records read");
        }
    }

    /** So many records were taken, of a number that is known. */
    void taken(long records, long of) {
        if (isDue()) {
            show(
                    "%3d %%, %d of %d records"
                            .formatted(100 * records / Math.max(1, of), records, of));
        }
    }

    @Override
    public void warn(String message) {
        end();
        err.line(name + ": " + message);
    }

    /** What follows is printed on a line of its own. */
    void end() {
        if (shown) {
            err.erase();
            shown = false;
        }
    }

    private boolean isDue() {
        var every = terminal ? ON_TERMINAL : ELSEWHERE;
        long now = System.nanoTime();
        if (now - lastNanos < every.toNanos()) {
            return false;
        }
        lastNanos = now;
        return true;
    }

    private void show(String text) {
        if (terminal) {
            err.rewrite(text);
            shown = true;
        } else {
            err.line(name + ": " + text.strip());
        }
    }

    private static String inWords(Duration left) {
        if (left.toHours() > 0) {
            return left.toHours() + " h " + left.toMinutesPart() + " min";
        }
        return left.toMinutes() > 0
                ? left.toMinutes() + " min " + left.toSecondsPart() + " s"
                : left.toSeconds() + " s";
    }

    @Override
    public void close() {
        end();
    }
}
