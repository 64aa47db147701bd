package dev.perigee.console;

import static dev.perigee.console.ConsoleEvents.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-03: rates and latencies of the calls of a minute")
final class CallMeterTest {
    private final CallMeter meter = new CallMeter(NOON.plusSeconds(60));

    @Test
    void knowsNothingBeforeTheFirstCall() {
        assertThat(meter.rates(NOON)).isEqualTo(CallMeter.Rates.NONE);
    }

    @Test
    void countsTheLastMinute() {
        for (int call = 0; call < 600; call++) {
            meter.add(NOON.plusMillis(100L * call), call % 100 == 0 ? 1000 : 8, call % 4 != 0);
        }

        var rates = meter.rates(NOON.plusSeconds(60));

        assertThat(rates.perSecond()).isEqualTo(10);
        assertThat(rates.failed()).isEqualTo(0.25);
        assertThat(rates.p50Ms()).isEqualTo(8);
        assertThat(rates.p99Ms()).isEqualTo(8);
        assertThat(meter.rates(NOON.plusSeconds(90)).perSecond()).isEqualTo(5);
        assertThat(meter.rates(NOON.plusSeconds(130))).isEqualTo(CallMeter.Rates.NONE);
    }

    @Test
    void isWithinAnEighthWhateverTheLatency() {
        for (long millis = 1; millis < 1L << 31; millis = millis * 3 + 1) {
            var one = new CallMeter(NOON);
            one.add(NOON, millis, true);
            var p99 = Objects.requireNonNull(one.rates(NOON.plusSeconds(10)).p99Ms());

            assertThat((double) p99).isCloseTo((double) millis, within(millis / 8.0));
        }
        meter.add(NOON, -5, true);
        meter.add(NOON, Long.MAX_VALUE, true);
        assertThat(meter.rates(NOON.plusSeconds(10)).p50Ms()).isZero();
    }

    @Test
    void leavesOutWhatComesTooLateOrFromAClockThatIsWrong() {
        meter.add(NOON, 5, true);
        meter.add(NOON.minusSeconds(3600), 5, true);
        meter.add(NOON.plusSeconds(3600), 5, true);

        assertThat(meter.rates(NOON.plusSeconds(10)).perSecond()).isBetween(0.01, 0.02);
    }
}
