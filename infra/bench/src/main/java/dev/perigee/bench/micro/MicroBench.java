package dev.perigee.bench.micro;

import dev.perigee.worker.session.JournalMicro;
import java.io.IOException;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs the JMH benchmarks, in JVMs of their own, with what each operation allocates. */
public final class MicroBench {
    private MicroBench() {}

    /**
     * Prints results as they come and a table at the end, on standard output.
     *
     * @param quick one JVM and short iterations
     */
    public static void run(boolean quick) throws IOException {
        var options =
                new OptionsBuilder()
                        .include(Codecs.class.getName() + "\\..*")
                        .include(Router.class.getName() + "\\..*")
                        .include(Offsets.class.getName() + "\\..*")
                        .include(JournalMicro.class.getName() + "\\..*")
                        .addProfiler(GCProfiler.class)
                        .forks(quick ? 1 : 3)
                        .warmupIterations(quick ? 2 : 5)
                        .warmupTime(TimeValue.milliseconds(quick ? 300 : 1000))
                        .measurementIterations(quick ? 3 : 5)
                        .measurementTime(TimeValue.milliseconds(quick ? 300 : 1000))
                        .shouldFailOnError(true)
                        .build();
        try {
            new Runner(options).run();
        } catch (RunnerException e) {
            throw new IOException("JMH failed", e);
        }
    }
}
