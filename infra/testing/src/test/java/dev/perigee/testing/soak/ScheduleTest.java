package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ScheduleTest {
    private static final Duration RETENTION = Duration.ofSeconds(8);
    private static final Schedule.Shape SHAPE = new Schedule.Shape(2, 3, 60, RETENTION);
    private static final Duration LONG = Duration.ofMinutes(10);

    @Test
    void isTheSameForTheSameSeed() {
        assertThat(Schedule.of(7, LONG, SHAPE)).isEqualTo(Schedule.of(7, LONG, SHAPE));
        assertThat(Schedule.of(7, LONG, SHAPE)).isNotEqualTo(Schedule.of(8, LONG, SHAPE));
    }

    @Test
    void beginsWithTheSameFaultsHoweverLongItIs() {
        var brief = Schedule.of(7, Duration.ofSeconds(40), SHAPE);
        assertThat(Schedule.of(7, LONG, SHAPE)).startsWith(brief.toArray(Step[]::new));
    }

    @Test
    void hasEveryKindOfFaultInTenMinutes() {
        var kinds =
                Stream.of(Fault.class.getPermittedSubclasses())
                        .map(Class::getSimpleName)
                        .collect(Collectors.toSet());
        for (long seed = 0; seed < 100; seed++) {
            assertThat(Schedule.of(seed, LONG, SHAPE))
                    .extracting(step -> step.fault().getClass().getSimpleName())
                    .as("seed %d", seed)
                    .containsAll(kinds);
        }
    }

    @Test
    void doesOneThingAfterTheOther() {
        for (long seed = 0; seed < 100; seed++) {
            var free = Duration.ZERO;
            for (var step : Schedule.of(seed, LONG, SHAPE)) {
                assertThat(step.at()).as("seed %d, %s", seed, step).isGreaterThan(free);
                free = step.at().plus(Schedule.lasts(step.fault()));
            }
        }
    }

    @Test
    void freezesWorkersForMuchLessThanTheRetentionOrMuchMore() {
        for (long seed = 0; seed < 100; seed++) {
            for (var step : Schedule.of(seed, LONG, SHAPE)) {
                var time = Schedule.lasts(step.fault());
                switch (step.fault()) {
                    case Fault.FreezeWorker _ ->
                            assertThat(time).isLessThanOrEqualTo(RETENTION.dividedBy(2));
                    case Fault.LoseWorker _ ->
                            assertThat(time).isGreaterThan(RETENTION.plusSeconds(3));
                    default -> {}
                }
            }
        }
    }

    @Test
    void crashesNoServerThreeTimes() {
        var crashed =
                Schedule.of(7, Duration.ofHours(2), SHAPE).stream()
                        .map(Step::fault)
                        .filter(Fault.CrashServer.class::isInstance)
                        .collect(Collectors.groupingBy(fault -> fault, Collectors.counting()));
        assertThat(crashed.values()).isNotEmpty().allMatch(times -> times <= 2);
    }
}
