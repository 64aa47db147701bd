package dev.perigee.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatterBuilder;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IsoInstantTest {
    @Test
    void writesAndReadsAsTheJdkDoes() {
        var jdk = new DateTimeFormatterBuilder().appendInstant(3).toFormatter();
        var random = RandomGenerator.of("L64X128MixRandom");
        for (int i = 0; i < 20_000; i++) {
            long second = random.nextLong(-100_000_000_000L, 300_000_000_000L);
            var instant = Instant.ofEpochSecond(second, random.nextLong(1_000_000_000));
            var text = IsoInstant.write(instant);

            assertThat(text).isEqualTo(jdk.format(instant));
            assertThat(IsoInstant.read(text)).isEqualTo(Instant.parse(text));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-22T01:02:03Z",
                "2026-11-22T01:02:03.123456789Z",
                "2026-11-22T01:02:03.123+02:00",
                "2024-02-29T23:59:59.999Z",
            })
    void readsEveryForm(String text) {
        assertThat(IsoInstant.read(text)).isEqualTo(OffsetDateTime.parse(text).toInstant());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-13-22T01:02:03.123Z",
                "2026-02-29T01:02:03.123Z",
                "2026-11-22T24:02:03.123Z",
                "2026-11-22 01:02:03.123Z",
                "2026-11-22T01:02:03.12٣Z",
                "",
            })
    void refusesWhatIsNone(String text) {
        assertThatThrownBy(() -> IsoInstant.read(text)).isInstanceOf(DateTimeException.class);
    }
}
