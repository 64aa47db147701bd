package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody.Usage;
import dev.perigee.worker.process.TreeMeter.Use;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-07: the sums of an instance by minute")
final class UsageSumsTest {
    private static final Instant TEN = Instant.parse("2026-11-26T10:00:00Z");

    private final UsageSums sums = new UsageSums();

    private static Instant at(double seconds) {
        return TEN.plusMillis(Math.round(seconds * 1000));
    }

    private static Use use(long cpuMs, double byteSeconds, long peak, double awakeSeconds) {
        return new Use(cpuMs * 1_000_000, byteSeconds, peak, Math.round(awakeSeconds * 1e9), 0);
    }

    private Usage due(double seconds) {
        var due = sums.due(at(seconds));
        assertThat(due).isNotNull();
        return due;
    }

    @Test
    @DisplayName("are due when the minute is over, and not before")
    void afterTheMinute() {
        sums.called(false, 10, 100, at(5));
        sums.called(true, 20, 0, at(59.9));
        sums.used(use(1500, 3000, 70, 20), at(30));
        sums.used(use(500, 2000, 60, 15), at(45));

        assertThat(sums.due(at(59.999))).isNull();
        assertThat(due(60))
                .isEqualTo(new Usage(at(0), at(60), 2, 1, 30, 100, 35_000, 2000, 5000, 70));
        sums.published();
        assertThat(sums.due(at(120))).isNull();
    }

    @Test
    @DisplayName("split by time what was used over the end of a minute")
    void splits() {
        sums.used(use(1000, 100, 9, 10), at(62));

        var first = due(62);
        sums.published();
        var second = due(120);

        assertThat(first.from()).isEqualTo(at(0));
        assertThat(List.of(first.cpuMs(), first.awakeMs(), first.memoryByteSeconds()))
                .containsExactly(800L, 8000L, 80L);
        assertThat(second.from()).isEqualTo(at(60));
        assertThat(List.of(second.cpuMs(), second.awakeMs(), second.memoryByteSeconds()))
                .containsExactly(200L, 2000L, 20L);
        assertThat(second.memoryPeakBytes()).isEqualTo(9);
    }

    @Test
    @DisplayName("put into the ended minute what is its own, though a call of the next came before")
    void lateLook() {
        sums.called(false, 1, 1, at(10));
        sums.called(false, 1, 1, at(60.5));
        sums.used(use(1000, 0, 0, 10), at(61));

        assertThat(due(61).cpuMs()).isEqualTo(900);
        sums.published();
        assertThat(due(120).cpuMs()).isEqualTo(100);
    }

    @Test
    @DisplayName("have no record of a minute in which nothing was")
    void nothing() {
        sums.used(Use.NONE, at(30));
        assertThat(sums.due(at(60))).isNull();
        sums.used(use(0, 0, 0, 0.0001), at(70));
        assertThat(sums.due(at(120))).isNull();
        sums.called(false, 0, 0, at(130));

        assertThat(due(180).from()).isEqualTo(at(120));
    }

    @Test
    @DisplayName("are one record of several minutes while none can be published")
    void accumulate() {
        for (int minute = 0; minute < 1000; minute++) {
            sums.called(false, 1, 2, at(60 * minute + 30));
            assertThat(sums.due(at(60 * minute + 61))).isNotNull();
        }

        var all = due(60_000);

        assertThat(all.from()).isEqualTo(at(0));
        assertThat(all.to()).isEqualTo(at(60_000));
        assertThat(all.calls()).isEqualTo(1000);
        assertThat(all.responseBytes()).isEqualTo(2000);
    }

    @Test
    @DisplayName("are all taken at the end, of each minute its own")
    void last() {
        sums.called(false, 1, 1, at(30));
        sums.called(true, 1, 1, at(65));

        var all = sums.takeAll(at(70));

        assertThat(all).extracting(Usage::from).containsExactly(at(0), at(60));
        assertThat(all).extracting(Usage::to).containsExactly(at(60), at(70));
        assertThat(all).extracting(Usage::errors).containsExactly(0L, 1L);
        assertThat(sums.takeAll(at(200))).isEmpty();
    }

    @Test
    @DisplayName("lose nothing to rounding, to late looks, or to a clock that is set back")
    void loseNothing() {
        long seed = new Random().nextLong();
        var random = new Random(seed);
        long cpu = 0;
        long awake = 0;
        long calls = 0;
        var published = new ArrayList<Usage>();
        double now = 0;
        for (int step = 0; step < 2000; step++) {
            now += random.nextDouble() * 20 - (random.nextInt(50) == 0 ? 90 : 0);
            long spent = random.nextInt(3_000_000);
            long lived = random.nextInt(15_000) * 1_000_000L + 1;
            sums.used(new Use(spent, 0, 0, lived, 0), at(now));
            cpu += spent;
            awake += lived;
            if (random.nextBoolean()) {
                sums.called(false, 1, 1, at(now));
                calls++;
            }
            var due = random.nextInt(3) > 0 ? sums.due(at(now)) : null;
            if (due != null) {
                published.add(due);
                sums.published();
            }
        }
        published.addAll(sums.takeAll(at(now)));

        var seeded = "seed " + seed;
        assertThat(published.stream().mapToLong(Usage::calls).sum()).as(seeded).isEqualTo(calls);
        assertThat(cpu / 1_000_000 - published.stream().mapToLong(Usage::cpuMs).sum())
                .as(seeded)
                .isBetween(-1L, 5L);
        assertThat(awake / 1_000_000 - published.stream().mapToLong(Usage::awakeMs).sum())
                .as(seeded)
                .isBetween(-1L, 5L);
        assertThat(published)
                .as(seeded)
                .allMatch(
                        usage ->
                                Duration.between(usage.from(), usage.to())
                                                .compareTo(Duration.ofHours(3))
                                        < 0);
    }

    @Test
    @DisplayName("of a clock that is set back by hours come again, at once and each once")
    void setBack() {
        sums.called(false, 1, 1, at(3 * 3600));
        sums.called(false, 2, 2, at(30));

        var newest = due(31);
        assertThat(newest.from()).isEqualTo(at(3 * 3600));
        assertThat(newest.to()).isEqualTo(at(3 * 3600 + 60));
        assertThat(newest.requestBytes()).isEqualTo(1);
        sums.published();
        assertThat(sums.due(at(59))).isNull();
        var again = due(60);
        assertThat(List.of(again.from(), again.to())).containsExactly(at(0), at(60));
        assertThat(again.requestBytes()).isEqualTo(2);
    }

    @Test
    @DisplayName("of a clock that is set wildly are of positive length, and all is counted")
    void setWildly() {
        var random = new Random(7);
        double second = 0;
        long awake = 0;
        var all = new ArrayList<Usage>();
        for (int step = 0; step < 5_000; step++) {
            second += random.nextInt(10) == 0 ? random.nextInt(20_000) - 10_000 : 15;
            sums.used(use(15, 15, 1, 15), at(second));
            awake += 15_000;
            var due = sums.due(at(second));
            if (due != null) {
                all.add(due);
                sums.published();
            }
        }
        all.addAll(sums.takeAll(at(second)));

        assertThat(all).allMatch(each -> each.to().isAfter(each.from()));
        assertThat(all.stream().mapToLong(Usage::awakeMs).sum()).isBetween(awake - 2, awake);
        assertThat(all.stream().mapToLong(Usage::cpuMs).sum())
                .isBetween(awake / 1000 - 2, awake / 1000);
    }
}
