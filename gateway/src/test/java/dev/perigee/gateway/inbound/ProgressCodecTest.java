package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The metadata of a commit")
final class ProgressCodecTest {
    private static final int BROKERS_LIMIT = 4_096;

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "17,50", "8192,50", "8192,1", "8192,99", "65536,99"})
    @DisplayName("says what it was given, whatever of a window of 8,192 offsets is completed")
    void roundTrip(int window, int percent) {
        var progress = new RequestProgress(70_000, 12, 1_003, 1_002, some(1_000, window, percent));

        var text = ProgressCodec.encode(progress, ProgressCodec.MAX_BITMAP_BYTES);

        assertThat(text).hasSizeLessThan(BROKERS_LIMIT);
        assertThat(ProgressCodec.decode(text, 1_000)).isEqualTo(progress);
    }

    @Test
    @DisplayName("leaves out what does not fit, from the end, and never says more than is true")
    void leavesOut() {
        var all = some(5, ProgressCodec.WINDOW * 2, 50);
        var progress = new RequestProgress(1L << 40, 1L << 41, 7, 6, all);

        var text = ProgressCodec.encode(progress, ProgressCodec.MAX_BITMAP_BYTES);
        var told = ProgressCodec.decode(text, 5).completed();

        assertThat(text).hasSizeLessThan(BROKERS_LIMIT);
        for (long offset = 5; offset < 5 + 8_192; offset++) {
            assertThat(told.contains(offset)).isEqualTo(all.contains(offset));
        }
        told.bits().stream().forEach(i -> assertThat(all.contains(5L + i)).isTrue());
        var bare = ProgressCodec.decode(ProgressCodec.encode(progress, 0), 5);
        assertThat(bare)
                .isEqualTo(new RequestProgress(1L << 40, 1L << 41, 7, 6, OffsetSet.none(5)));
    }

    @Test
    @DisplayName("is nothing where there is none")
    void nothing() {
        assertThat(ProgressCodec.decode("", 9)).isEqualTo(RequestProgress.none(9));
    }

    @ParameterizedTest
    @ValueSource(strings = {"?", "AQ", "Ag", "hello", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD/////"})
    @DisplayName("means that everything may have run where it is not understood")
    void notUnderstood(String text) {
        assertThat(ProgressCodec.decode(text, 9)).isEqualTo(RequestProgress.unknown(9));
    }

    private static OffsetSet some(long base, int window, int percent) {
        var random = new Random(window * 100L + percent);
        var bits = new BitSet();
        for (int i = 0; i < window; i++) {
            bits.set(i, random.nextInt(100) < percent);
        }
        return new OffsetSet(base, bits);
    }
}
