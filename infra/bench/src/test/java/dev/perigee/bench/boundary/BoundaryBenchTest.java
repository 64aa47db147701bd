package dev.perigee.bench.boundary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.report.BenchProgress;
import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * As small as it can be. Other things run at the same time: the goal is for the fastest starts, of
 * which the load takes least, and ten times the goal for the median.
 */
@DisplayName("The benchmark of the boundary")
final class BoundaryBenchTest {
    private static final double GOAL_MILLIS = 25;
    private static final double TIMES = 10;

    private final List<String> notes = new ArrayList<>();
    private final BenchProgress progress = new BenchProgress(notes::add);

    @Test
    @Tag("long")
    @NeedsProgram({Program.BUBBLEWRAP, Program.CC})
    @DisplayName(
            "TEN-22: compares no jail, a jail and the full boundary in one run: the fastest start in"
                    + " the full one takes at most 25 ms more than the fastest in a jail")
    void compares(@TempDir Path directory) throws Exception {
        var plan = new BoundaryPlan(12, 1, Duration.ofMillis(200));
        var server = EchoProgram.trivial(directory, progress::note);

        var found = BoundaryBench.run(plan, server, progress);

        assertThat(found).as("%s", notes).isNotNull();
        var rows = Objects.requireNonNull(found).rows();
        assertThat(rows.keySet()).containsExactly("no_jail", "host_network", "full");
        assertThat(rows.values())
                .allSatisfy(
                        row -> {
                            assertThat(row.startMillis().min()).isPositive();
                            assertThat(row.callP50Millis().median()).isPositive();
                            assertThat(row.proportionalBytes()).isNotNull().isPositive();
                        });
        assertThat(memory(rows, "host_network")).isGreaterThan(memory(rows, "no_jail"));
        assertThat(found.addedStartMillis().median()).isLessThan(GOAL_MILLIS * TIMES);
        assertThat(fastest(rows, "full") - fastest(rows, "host_network"))
                .isLessThanOrEqualTo(GOAL_MILLIS);
    }

    private static double fastest(Map<String, BoundaryRow> rows, String name) {
        return Objects.requireNonNull(rows.get(name)).startMillis().min();
    }

    private static double memory(Map<String, BoundaryRow> rows, String name) {
        return Objects.requireNonNull(Objects.requireNonNull(rows.get(name)).proportionalBytes());
    }

    @Test
    @DisplayName("says in one line why it is left out")
    void isLeftOut() throws Exception {
        var server = new EchoProgram("echo", List.of("java", "Echo"));

        assertThat(
                        BoundaryBench.run(
                                new BoundaryPlan(1, 1, Duration.ofMillis(1)), server, progress))
                .isNull();
        assertThat(notes).singleElement().asString().contains("Without the boundary", "cc");
    }
}
