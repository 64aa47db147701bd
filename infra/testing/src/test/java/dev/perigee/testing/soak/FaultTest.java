package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.Condition;
import dev.perigee.testing.soak.Fault.Cut;
import dev.perigee.testing.soak.Fault.Flow;
import dev.perigee.testing.soak.Fault.Loss;
import java.time.Duration;
import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A fault of networks")
final class FaultTest {
    private static final Duration TIME = Duration.ofSeconds(3);
    private static final String GATEWAY = "gateway-1";
    private static final String WORKER = "worker-1";

    private static SortedSet<String> set(String... parts) {
        return new TreeSet<>(Arrays.asList(parts));
    }

    private static Condition silent(SortedSet<String> side, SortedSet<String> rest, Flow flow) {
        return new Cut(side, rest, flow, Loss.SILENT, TIME).between(GATEWAY, WORKER);
    }

    @Test
    @DisplayName("is between its sides, and nowhere else")
    void isBetweenItsSides() {
        var cut = new Cut(set(GATEWAY, WORKER), set("gateway-2"), Flow.BOTH, Loss.CLOSED, TIME);
        assertThat(cut.between(GATEWAY, WORKER)).isEqualTo(Condition.HEALTHY);
        assertThat(cut.between("gateway-2", "worker-2")).isEqualTo(Condition.HEALTHY);
        assertThat(cut.between("gateway-2", WORKER)).isEqualTo(Condition.REFUSING);
    }

    @Test
    @DisplayName("holds what its side says, or what its side would hear")
    void holdsOneWay() {
        var forth = Condition.holding(true, false);
        var back = Condition.holding(false, true);
        assertThat(silent(set(GATEWAY), set(WORKER), Flow.OUT)).isEqualTo(forth);
        assertThat(silent(set(GATEWAY), set(WORKER), Flow.IN)).isEqualTo(back);
        assertThat(silent(set(WORKER), set(GATEWAY), Flow.OUT)).isEqualTo(back);
        assertThat(silent(set(WORKER), set(GATEWAY), Flow.IN)).isEqualTo(forth);
        assertThat(silent(set(WORKER), set(GATEWAY), Flow.BOTH))
                .isEqualTo(Condition.holding(true, true));
    }

    @Test
    @DisplayName("leaves new connections alone where present ones are forgotten")
    void forgotten() {
        var cut = new Cut(set(GATEWAY), set(WORKER), Flow.BOTH, Loss.FORGOTTEN, TIME);
        assertThat(cut.between(GATEWAY, WORKER)).isEqualTo(Condition.HEALTHY);
        assertThat(cut.isBetween(GATEWAY, WORKER)).isTrue();
    }

    @Test
    @DisplayName("slows what is between its sides")
    void slow() {
        var slow = new Fault.Slow(set(GATEWAY), set(WORKER), Duration.ofMillis(50), 100, TIME);
        assertThat(slow.between(GATEWAY, WORKER))
                .isEqualTo(Condition.slow(Duration.ofMillis(50), 100));
        assertThat(slow.between(GATEWAY, "worker-2")).isEqualTo(Condition.HEALTHY);
    }
}
