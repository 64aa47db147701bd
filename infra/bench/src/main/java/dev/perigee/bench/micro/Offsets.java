package dev.perigee.bench.micro;

import dev.perigee.gateway.inbound.OffsetTracker;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Benchmark of the choice of the offset to commit, with few records open and with many. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Offsets {
    private static final int RECORD_BYTES = 200;

    @Param({"64", "4000"})
    int open;

    private final OffsetTracker tracker = new OffsetTracker(5000, 1 << 30);
    private long offset;

    @Setup
    public void fill() {
        for (; offset < open; offset++) {
            tracker.add(offset, RECORD_BYTES);
        }
    }

    @Benchmark
    public long addCompleteSettle() {
        tracker.add(offset, RECORD_BYTES);
        tracker.complete(offset - open);
        offset++;
        return tracker.settled();
    }
}
