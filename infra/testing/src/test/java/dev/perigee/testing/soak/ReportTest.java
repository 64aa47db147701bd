package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.history.Admission;
import dev.perigee.testing.history.History;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The report of a run")
final class ReportTest {
    private static final SoakPlan PLAN =
            new SoakPlan(
                    7,
                    Duration.ofMinutes(1),
                    new Shape(2, 3, 8, new Times(4)),
                    Duration.ofMillis(20),
                    Path.of("somewhere"));
    private static final Storm STORM =
            new Storm(
                    1, List.of(new TimedFault(Duration.ofMillis(1_500), new Fault.CrashServer(3))));

    private static Report report(String... violations) {
        return new Report(
                PLAN,
                List.of(STORM),
                new History(List.of(), List.of(), List.of(), List.of()),
                Map.of(Admission.JOURNAL_LOST, List.of("a", "b")),
                Map.of("gateway-1 with 1", 2),
                Map.of("worker-1", 200L),
                1_000,
                Duration.ofMillis(80),
                Duration.ofSeconds(61),
                List.of(violations));
    }

    @Test
    @DisplayName("counts what was done and what came of it")
    void counts() {
        var table = report().table();
        assertThat(table)
                .contains("{CrashServer=1}", "A worker that is lost=2", "1000 times, 80 ms apart")
                .doesNotContain("Again");
        assertThat(report().isWell()).isTrue();
        assertThat(report().json().at("/faults/CrashServer").asInt()).isEqualTo(1);
        assertThat(report().json().at("/well").asBoolean()).isTrue();
    }

    @Test
    @DisplayName("names the seed, the schedule and where the history is, where something is wrong")
    void names() {
        var report = report("two live processes of p");
        assertThat(report.isWell()).isFalse();
        assertThat(report.table())
                .contains(
                        "two live processes of p",
                        "somewhere",
                        "1.5 s CrashServer[user=3]",
                        "Again: scripts/perigee nemesis --seed 7 --minutes 1 ");
        assertThat(report.json().at("/violations/0").asString()).contains("two live");
    }
}
