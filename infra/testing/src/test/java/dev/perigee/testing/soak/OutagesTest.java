package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.history.Outage;
import dev.perigee.testing.soak.Fault.Cut;
import dev.perigee.testing.soak.Fault.Flow;
import dev.perigee.testing.soak.Fault.Loss;
import java.time.Duration;
import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The outages of a fault")
final class OutagesTest {
    private static final Times TIMES = new Times(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long TAKEOVER_MS = 120_000;

    private static SortedSet<String> set(String... parts) {
        return new TreeSet<>(Arrays.asList(parts));
    }

    @Test
    @DisplayName(
            "are those of gateways cut off from the broker, until they are silent, and of workers")
    void cut() {
        var cut =
                new Cut(
                        set("broker-1", "gateway-2", "worker-1"),
                        set("gateway-1", "worker-2"),
                        Flow.OUT,
                        Loss.SILENT,
                        MINUTE);
        assertThat(Outages.of(cut, 1_000, TIMES))
                .containsExactly(
                        new Outage("gateway-1", 1_000, 12_000),
                        new Outage("worker-1", 1_000, 61_000 + TAKEOVER_MS),
                        new Outage("worker-2", 1_000, 61_000 + TAKEOVER_MS));
    }

    @Test
    @DisplayName("are a moment of a killed gateway, and all the time of one that stutters")
    void processes() {
        assertThat(Outages.of(new Fault.Kill(set("gateway-1", "broker-1"), MINUTE), 0, TIMES))
                .containsExactly(new Outage("broker-1", 0, 11_000), new Outage("gateway-1", 0, 0));
        assertThat(Outages.of(new Fault.Stutter(set("gateway-1"), MINUTE), 0, TIMES))
                .containsExactly(new Outage("gateway-1", 0, 60_000));
        assertThat(Outages.of(new Fault.Freeze(set("gateway-1"), MINUTE), 0, TIMES))
                .containsExactly(new Outage("gateway-1", 0, 11_000));
        assertThat(Outages.of(new Fault.Redeploy(set("gateway-1"), MINUTE), 0, TIMES)).isEmpty();
    }
}
