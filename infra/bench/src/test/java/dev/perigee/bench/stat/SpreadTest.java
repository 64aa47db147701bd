package dev.perigee.bench.stat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void isTheMedianAndTheEnds() {
        assertThat(Spread.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Spread(2, 1, 3));
        assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(new Spread(2.5, 1, 4));
        assertThat(Spread.of(List.of(7.0))).isEqualTo(new Spread(7, 7, 7));
    }

    @Test
    void isNothingOfNothing() {
        assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void isWrittenWithItsEndsWhereTheyDiffer() {
        assertThat(new Spread(2, 1, 3).text(1)).isEqualTo("2.0 (1.0..3.0)");
        assertThat(new Spread(2, 2, 2).text(0)).isEqualTo("2");
    }
}
