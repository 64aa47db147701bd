package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Everything at once, from a seed: {@code -Dsoak.seed=} takes another, {@code -Dsoak.duration=}
 * (such as {@code PT5M}) another length. Times are scaled down, so that what takes a lease or a
 * retention happens within the run.
 */
@DisplayName("A soak")
final class SoakTest {
    private static final long SEED = 20261121;
    private static final Times TIMES = new Times(4);

    @Test
    @Tag("long")
    @DisplayName(
            "FLT-01, FLT-06, FLT-08, OWN-01, OWN-02, OWN-03: ten minutes of faults of any set of"
                    + " parts: nothing lost, doubled, disordered, left behind")
    void tenMinutes() throws Exception {
        soak("soak-long", new Shape(2, 3, 60, TIMES), Duration.ofMinutes(10), 20);
    }

    private static void soak(String name, Shape shape, Duration length, int paceMs)
            throws IOException, InterruptedException {
        long seed = Long.getLong("soak.seed", SEED);
        var duration = Duration.parse(System.getProperty("soak.duration", length.toString()));
        var folder = Path.of("target", "fleets", name + "-" + seed).toAbsolutePath();
        var plan = new SoakPlan(seed, duration, shape, Duration.ofMillis(paceMs), folder);
        var report = NemesisRun.run(plan, System.out::println);
        System.out.println(report.table());
        assertThat(report.violations()).as(report.table()).isEmpty();
    }
}
