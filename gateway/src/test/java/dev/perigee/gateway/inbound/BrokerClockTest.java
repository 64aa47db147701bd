package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OWN-21: this machine's clock beside the brokers'")
final class BrokerClockTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final BrokerClock clock = new BrokerClock();

    private void compare(Duration ahead, Duration took) {
        clock.compared(NOW.plus(ahead).minus(took), NOW.minus(took.dividedBy(2)), NOW.plus(ahead));
    }

    @Test
    @DisplayName("is taken for right until they are compared")
    void unknown() {
        assertThat(clock.ahead()).isNull();
        assertThat(clock.own(NOW)).isEqualTo(NOW);
        assertThat(clock.problem()).isNull();
    }

    @Test
    @DisplayName("two minutes ahead: what a broker stamps now is now")
    void ahead() {
        compare(Duration.ofMinutes(2), Duration.ofMillis(10));

        assertThat(clock.own(NOW)).isEqualTo(NOW.plusSeconds(120));
        assertThat(clock.problem()).contains("120 s ahead of the brokers'").contains("NTP");
    }

    @Test
    @DisplayName("two minutes behind: what a broker stamps now is now")
    void behind() {
        compare(Duration.ofMinutes(-2), Duration.ofMillis(10));

        assertThat(clock.own(NOW)).isEqualTo(NOW.minusSeconds(120));
        assertThat(clock.problem()).contains("120 s behind the brokers'");
    }

    @Test
    @DisplayName("a small difference is shown, and corrects nothing")
    void near() {
        compare(Duration.ofMillis(900), Duration.ofMillis(10));

        assertThat(clock.ahead()).isEqualTo(Duration.ofMillis(900));
        assertThat(clock.own(NOW)).isEqualTo(NOW);
        assertThat(clock.problem()).isNull();
    }

    @Test
    @DisplayName("a slow answer says too little")
    void slow() {
        compare(Duration.ofMinutes(2), Duration.ofSeconds(3));

        assertThat(clock.ahead()).isNull();
        assertThat(clock.own(NOW)).isEqualTo(NOW);
    }

    @Test
    @DisplayName("that is set right corrects nothing more, and does not waver before")
    void mended() {
        compare(Duration.ofMinutes(2), Duration.ofMillis(10));
        compare(Duration.ofMinutes(2).plusMillis(700), Duration.ofMillis(10));
        assertThat(clock.own(NOW)).isEqualTo(NOW.plusSeconds(120));

        compare(Duration.ofMillis(300), Duration.ofMillis(10));
        assertThat(clock.own(NOW)).isEqualTo(NOW);
        assertThat(clock.problem()).isNull();
    }
}
