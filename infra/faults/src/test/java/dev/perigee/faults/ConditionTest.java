package dev.perigee.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ConditionTest {
    @Test
    void isTheWorseOfBoth() {
        var both =
                Condition.holding(true, false)
                        .and(Condition.slow(Duration.ofMillis(5), 100))
                        .and(Condition.slow(Duration.ofMillis(3), 50))
                        .and(Condition.HEALTHY);
        assertThat(both).isEqualTo(new Condition(false, true, false, Duration.ofMillis(5), 50));
        assertThat(both.and(Condition.REFUSING).refusing()).isTrue();
    }
}
