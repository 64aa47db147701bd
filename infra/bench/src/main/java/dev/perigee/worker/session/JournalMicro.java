package dev.perigee.worker.session;

import dev.perigee.protocol.limit.ByteBudget;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * An entry's way through a journal that holds some: appended, found by who sends it, acknowledged.
 * In the journal's own package, which shows it to nobody else.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class JournalMicro {
    private static final byte[] FRAME = new byte[300];

    @Param({"1", "1000"})
    int held;

    private final Journal journal =
            new Journal(
                    new Journal.Limits(1 << 20, 50_000, 1 << 16, WhenFull.PAUSE),
                    ByteBudget.of(1 << 26));

    @Setup
    public void fill() {
        for (int i = 0; i < held; i++) {
            journal.append(_ -> FRAME, null);
        }
    }

    @Benchmark
    public List<?> appendFindAcknowledge() {
        journal.append(_ -> FRAME, null);
        long sent = journal.nextSeq() - 2;
        if (journal.after(sent) == null) {
            throw new IllegalStateException("The entry is not there");
        }
        return journal.acknowledge(sent + 1 - held, (_, _) -> FRAME);
    }
}
