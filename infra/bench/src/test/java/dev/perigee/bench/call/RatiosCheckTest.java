package dev.perigee.bench.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.bench.fleet.BenchFleet;
import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.fleet.FleetShape;
import dev.perigee.bench.load.Load;
import dev.perigee.bench.report.BenchProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The benchmark of calls, as small as it can be, as a check of what every change may cost.
 *
 * <p>The bounds are ten times the goals, forty for CPU time. A test machine runs other things at
 * the same time, and JVMs this young still interpret and compile; both make a gateway and a worker,
 * JVMs that bare Kafka does without, look many times worse than they are. What such bounds still
 * find is what adds milliseconds to every call: a sleep, a poll, a transaction on the way. Copies
 * and parsing are found by what is allocated, which no other process changes: about 45 KiB a call
 * in the gateway and 30 in the worker, so its bounds are three times that.
 */
class RatiosCheckTest {
    private static final double TIMES = 10;
    private static final double TIMES_OF_CPU = 40;
    private static final double GATEWAY_BYTES = 135 * 1024;
    private static final double WORKER_BYTES = 90 * 1024;

    @Test
    void areWithinTenTimesTheirGoals(@TempDir Path directory) throws Exception {
        var plan =
                new CallPlan(
                        3,
                        Duration.ofMillis(300),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(9),
                        List.of(1, 16, 64),
                        List.of(),
                        0,
                        false);
        var notes = new StringBuilder();
        var progress = new BenchProgress(line -> notes.append(line).append('\n'));
        var trivial = EchoProgram.trivial(directory, progress::note);
        var shape = FleetShape.small(CallBench.PARTITIONS, Map.of());
        List<CallRow> rows;
        try (var fleet = BenchFleet.start(shape, progress::note)) {
            rows = CallBench.run(plan, fleet, trivial, progress);
        }

        var ratios = Ratios.of(rows);

        assertThat(ratios.keySet())
                .containsExactly(
                        "latency_p50_c1", "latency_p99_c16", "throughput_c64", "cpu_per_call");
        assertThat(ratios)
                .as("%s%n%s", notes, CallReport.table(rows))
                .allSatisfy(
                        (name, ratio) -> {
                            double times = name.startsWith("cpu") ? TIMES_OF_CPU : TIMES;
                            double median = ratio.value().median();
                            if (ratio.atMost()) {
                                assertThat(median).isLessThan(ratio.goal() * times);
                            } else {
                                assertThat(median).isGreaterThan(ratio.goal() / times);
                            }
                        });
        assertThat(rows)
                .filteredOn(row -> row.way() == Way.PERIGEE)
                .filteredOn(row -> row.load().equals(new Load.InFlight(64)))
                .singleElement()
                .satisfies(
                        row -> {
                            assertThat(row.allocatedBytes("gateway").median())
                                    .isBetween(1.0, GATEWAY_BYTES);
                            assertThat(row.allocatedBytes("worker").median())
                                    .isBetween(1.0, WORKER_BYTES);
                        });
    }
}
