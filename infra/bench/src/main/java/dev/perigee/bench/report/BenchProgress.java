package dev.perigee.bench.report;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Says what is measured and how long it will be until the end: what was planned and is left, at the
 * pace so far. A line every few seconds, not one for each step. Used by one thread.
 */
public final class BenchProgress {
    private static final long LINE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Consumer<String> say;
    private final long begin = System.nanoTime();
    private double plannedSeconds;
    private double begunSeconds;
    private double stepSeconds;
    private long lastLine = begin - LINE_EVERY_NANOS;

    public BenchProgress(Consumer<String> say) {
        this.say = say;
    }

    /** A duration as plans and steps take it. */
    public static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    /** There will be so much more to do. */
    public void plan(double seconds) {
        plannedSeconds += seconds;
    }

    /** Begins what was planned to take so long; what was begun before is done. */
    public void step(String what, double seconds) {
        begunSeconds += stepSeconds;
        stepSeconds = seconds;
        long now = System.nanoTime();
        if (now - lastLine >= LINE_EVERY_NANOS) {
            lastLine = now;
            say.accept(what + " ... " + left(now));
        }
    }

    /** Says something that is not to be missed. */
    public void note(String line) {
        say.accept(line);
    }

    private String left(long now) {
        double taken = (now - begin) / (double) TimeUnit.SECONDS.toNanos(1);
        double pace = begunSeconds < 1 ? 1 : Math.max(0.2, taken / begunSeconds);
        var left =
                Duration.ofSeconds(Math.round(Math.max(0, plannedSeconds - begunSeconds) * pace));
        return left.toMinutes() > 0
                ? "%d min %02d s left".formatted(left.toMinutes(), left.toSecondsPart())
                : left.toSeconds() + " s left";
    }
}
