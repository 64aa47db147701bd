package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody.Usage;
import dev.perigee.worker.process.TreeMeter.Use;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sums of one instance's usage by minute of UTC: that of the minute that runs, and that of minutes
 * which ended and are not published. The latter are one sum, so that an instance holds two however
 * long the record before is not acknowledged. Pure; its owner holds a lock around it.
 *
 * <p>Time is by the wall clock, which may be set. What was used is measured by another one, so that
 * nothing is lost or counted twice. Set back by up to a minute, what comes then counts in the
 * newest minute or in the one before it. Set back further, minutes come again: the newest is
 * published at once, though it is not over by the new time. Set forward, minutes in between have no
 * record.
 */
final class UsageSums {
    /** What a record covers. */
    static final Duration MINUTE = Duration.ofMinutes(1);

    private static final long NANOS_PER_MILLI = 1_000_000;

    private @Nullable Sum running;
    private @Nullable Sum ended;
    private long restOfCpu;
    private long restOfAwake;

    /** Sum of one minute or several. */
    private static final class Sum {
        private final Instant from;
        private Instant to;
        private long calls;
        private long errors;
        private long requestBytes;
        private long responseBytes;
        private long awakeNanos;
        private long cpuNanos;
        private double byteSeconds;
        private long peakBytes;

        Sum(Instant minute) {
            this.from = minute;
            this.to = minute.plus(MINUTE);
        }

        void add(Sum later) {
            to = later.to.isAfter(to) ? later.to : to;
            calls += later.calls;
            errors += later.errors;
            requestBytes += later.requestBytes;
            responseBytes += later.responseBytes;
            awakeNanos += later.awakeNanos;
            cpuNanos += later.cpuNanos;
            byteSeconds += later.byteSeconds;
            peakBytes = Math.max(peakBytes, later.peakBytes);
        }

        void add(Use use, double part) {
            awakeNanos += Math.round(use.awakeNanos() * part);
            cpuNanos += Math.round(use.cpuNanos() * part);
            byteSeconds += use.memoryByteSeconds() * part;
            peakBytes = Math.max(peakBytes, use.peakBytes());
        }

        boolean isEmpty() {
            return calls == 0
                    && awakeNanos < NANOS_PER_MILLI
                    && cpuNanos < NANOS_PER_MILLI
                    && byteSeconds < 1;
        }

        /** Its end, or now where that is within it. */
        Instant until(Instant now) {
            return now.isAfter(from) && now.isBefore(to) ? now : to;
        }

        Usage usage(Instant until) {
            return new Usage(
                    from,
                    until,
                    calls,
                    errors,
                    requestBytes,
                    responseBytes,
                    awakeNanos / NANOS_PER_MILLI,
                    cpuNanos / NANOS_PER_MILLI,
                    (long) byteSeconds,
                    peakBytes);
        }
    }

    /** A call was answered. */
    void called(boolean error, long requestBytes, long responseBytes, Instant now) {
        var sum = of(minuteOf(now));
        sum.calls++;
        sum.errors += error ? 1 : 0;
        sum.requestBytes += requestBytes;
        sum.responseBytes += responseBytes;
    }

    /**
     * A tree used this until now. What it used in the minute before is split off by time; of a look
     * that comes later than that, all before this minute counts in the one before it.
     */
    void used(Use use, Instant now) {
        if (use.awakeNanos() == 0 && use.cpuNanos() == 0) {
            return;
        }
        var minute = minuteOf(now);
        long within = Duration.between(minute, now).toNanos();
        double part =
                use.awakeNanos() <= within ? 1 : (double) within / Math.max(1, use.awakeNanos());
        if (part < 1) {
            of(minute.minus(MINUTE)).add(use, 1 - part);
        }
        of(minute).add(use, part);
    }

    private static Instant minuteOf(Instant now) {
        return now.truncatedTo(ChronoUnit.MINUTES);
    }

    private Sum of(Instant minute) {
        var now = running;
        if (now != null && minute.plus(MINUTE).equals(now.from)) {
            var before = ended == null ? open(minute) : ended;
            before.to = now.from.isAfter(before.to) ? now.from : before.to;
            ended = before;
            return before;
        }
        close(minute);
        running = running == null ? open(minute) : running;
        return running;
    }

    /** With what was less than the units of records before. */
    private Sum open(Instant minute) {
        var sum = new Sum(minute);
        sum.cpuNanos = restOfCpu;
        sum.awakeNanos = restOfAwake;
        restOfCpu = 0;
        restOfAwake = 0;
        return sum;
    }

    /** What began before this minute has ended. */
    private void close(Instant minute) {
        var now = running;
        if (now == null || (!now.from.isBefore(minute) && !isSetBack(minute, now.from))) {
            return;
        }
        if (ended == null) {
            ended = now;
        } else {
            ended.add(now);
        }
        running = null;
    }

    /** Whether the clock was set back from one minute to the other, so far that they come again. */
    private static boolean isSetBack(Instant minute, Instant newest) {
        return minute.plus(MINUTE).isBefore(newest);
    }

    /** What ended and is to be published; null where that is nothing. */
    @Nullable Usage due(Instant now) {
        close(minuteOf(now));
        if (ended != null && ended.isEmpty()) {
            published();
        }
        if (ended == null) {
            return null;
        }
        boolean over = !ended.to.isAfter(now) || ended.to.isAfter(now.plus(MINUTE));
        return over ? ended.usage(ended.to) : null;
    }

    /** What was due is published; what is less than its units counts later. */
    void published() {
        var done = ended;
        ended = null;
        if (done != null) {
            restOfCpu += done.cpuNanos % NANOS_PER_MILLI;
            restOfAwake += done.awakeNanos % NANOS_PER_MILLI;
        }
    }

    /** All that there is, for records of their own; forgotten then. */
    List<Usage> takeAll(Instant now) {
        close(minuteOf(now));
        var all =
                Stream.of(Optional.ofNullable(ended), Optional.ofNullable(running))
                        .flatMap(Optional::stream)
                        .filter(sum -> !sum.isEmpty())
                        .map(sum -> sum.usage(sum.until(now)))
                        .toList();
        ended = null;
        running = null;
        return all;
    }
}
