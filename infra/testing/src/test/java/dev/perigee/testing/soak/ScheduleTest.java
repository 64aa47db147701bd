package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The schedule of a seed")
final class ScheduleTest {
    private static final Shape SHAPE = new Shape(2, 3, 60, new Times(4));
    private static final int STORMS = 10;

    private static List<Storm> storms(long seed, int count) {
        var schedule = new Schedule(seed, SHAPE);
        return Stream.generate(schedule::next).limit(count).toList();
    }

    private static Stream<Storm> allStorms() {
        return LongStream.range(0, 100).boxed().flatMap(seed -> storms(seed, STORMS).stream());
    }

    private static Stream<Fault> allFaults() {
        return allStorms().flatMap(storm -> storm.steps().stream()).map(TimedFault::fault);
    }

    @Test
    @DisplayName("is the same each time, and another for another seed")
    void isTheSameForTheSameSeed() {
        assertThat(storms(7, STORMS)).isEqualTo(storms(7, STORMS));
        assertThat(storms(7, STORMS)).isNotEqualTo(storms(8, STORMS));
        assertThat(storms(7, STORMS)).startsWith(storms(7, 2).toArray(Storm[]::new));
    }

    @Test
    @DisplayName("has every kind of fault in ten storms")
    void hasEveryKind() {
        var kinds =
                Stream.of(Fault.class.getPermittedSubclasses())
                        .map(Class::getSimpleName)
                        .collect(Collectors.toSet());
        for (long seed = 0; seed < 100; seed++) {
            assertThat(
                            storms(seed, STORMS).stream()
                                    .flatMap(storm -> storm.steps().stream())
                                    .map(step -> step.fault().getClass().getSimpleName()))
                    .as("seed %d", seed)
                    .containsAll(kinds);
        }
    }

    @Test
    @DisplayName("OWN-03: cuts any set off from the rest, and pairs in each direction")
    void cutsAnySet() {
        var cuts = allFaults().filter(Fault.Cut.class::isInstance).map(Fault.Cut.class::cast);
        var sides = new TreeSet<String>();
        var ways = new TreeSet<String>();
        cuts.forEach(
                cut -> {
                    sides.add(cut.side() + " " + cut.rest());
                    ways.add(cut.loss() + " " + cut.flow());
                    assertThat(cut.side()).isNotEmpty();
                    assertThat(cut.rest()).isNotEmpty().doesNotContainAnyElementsOf(cut.side());
                });
        int parts = SHAPE.parts().size();
        assertThat(sides.stream().filter(side -> side.split(",").length == parts - 1))
                .hasSize((1 << parts) - 2);
        assertThat(sides).contains("[gateway-1] [broker-1]", "[gateway-2] [worker-3]");
        assertThat(ways)
                .containsExactly(
                        "CLOSED BOTH",
                        "FORGOTTEN BOTH",
                        "RESET BOTH",
                        "SILENT BOTH",
                        "SILENT IN",
                        "SILENT OUT");
    }

    @Test
    @DisplayName("kills and freezes sets, for a blink or beyond all that anybody waits for")
    void killsAndFreezesSets() {
        var killed =
                allFaults()
                        .filter(
                                fault ->
                                        fault instanceof Fault.Kill
                                                || fault instanceof Fault.Freeze)
                        .toList();
        assertThat(killed).anyMatch(fault -> fault.processes().size() == 1);
        assertThat(killed).anyMatch(fault -> fault.processes().size() == SHAPE.parts().size());
        assertThat(killed).anyMatch(fault -> fault.lasts().toMillis() < 500);
        assertThat(killed).anyMatch(fault -> fault.lasts().compareTo(SHAPE.times().takeover()) > 0);
    }

    @Test
    @DisplayName("does one thing at a time to a process, while other faults go on")
    void oneThingToAProcess() {
        allStorms()
                .forEach(
                        storm -> {
                            var free = new HashMap<String, Duration>();
                            for (var step : storm.steps()) {
                                for (var part : step.fault().processes()) {
                                    assertThat(step.at())
                                            .as("%s of %s", part, storm)
                                            .isGreaterThanOrEqualTo(
                                                    free.getOrDefault(part, Duration.ZERO));
                                    free.put(part, step.end());
                                }
                            }
                        });
        assertThat(allStorms()).anyMatch(ScheduleTest::overlaps);
    }

    private static boolean overlaps(Storm storm) {
        var steps = storm.steps();
        return Stream.iterate(1, i -> i < steps.size(), i -> i + 1)
                .anyMatch(i -> steps.get(i).at().compareTo(steps.get(i - 1).end()) < 0);
    }

    @Test
    @DisplayName("crashes no server three times")
    void crashesNoServerThreeTimes() {
        var crashed =
                storms(7, 100).stream()
                        .flatMap(storm -> storm.steps().stream())
                        .map(TimedFault::fault)
                        .filter(Fault.CrashServer.class::isInstance)
                        .collect(Collectors.groupingBy(fault -> fault, Collectors.counting()));
        assertThat(crashed.values()).isNotEmpty().allMatch(times -> times <= 2);
    }
}
