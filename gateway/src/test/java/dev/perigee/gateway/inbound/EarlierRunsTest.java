package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Committed 10; lost twice below 13 and once below 20 when session 5 began; reserved below 40; the
 * topic ends at 35.
 */
@DisplayName("What earlier owners may have done")
final class EarlierRunsTest {
    private final EarlierRuns earlier =
            new EarlierRuns(
                    new RequestProgress(
                            40, 5, 20, 13, new OffsetSet(10, BitSet.valueOf(new long[] {6}))),
                    35);

    @Test
    @DisplayName("is in doubt until there is a session, unless it is done or came later")
    void inDoubt() {
        assertThat(earlier.isInDoubt(10)).isTrue();
        assertThat(earlier.isDone(11)).isTrue();
        assertThat(earlier.isInDoubt(11)).isFalse();
        assertThat(earlier.isInDoubt(34)).isTrue();
        assertThat(earlier.isInDoubt(35)).isFalse();
        assertThat(earlier.lostRuns(10)).isZero();
    }

    @Test
    @DisplayName("is what sessions before had, when theirs still lives")
    void sameSession() {
        earlier.attached(5);
        assertThat(earlier.isInDoubt(34)).isFalse();
        assertThat(earlier.lostRuns(12)).isEqualTo(2);
        assertThat(earlier.lostRuns(19)).isEqualTo(1);
        assertThat(earlier.lostRuns(20)).isZero();
    }

    @Test
    @DisplayName("is what their session had too, when it is gone")
    void otherSession() {
        earlier.attached(6);
        assertThat(earlier.lostRuns(19)).isEqualTo(2);
        assertThat(earlier.lostRuns(20)).isEqualTo(1);
        assertThat(earlier.lostRuns(34)).isEqualTo(1);
        assertThat(earlier.lostRuns(35)).isZero();
        earlier.detached();
        assertThat(earlier.isInDoubt(34)).isTrue();
        earlier.attached(5);
        assertThat(earlier.lostRuns(34)).isEqualTo(1);
    }

    @Test
    @DisplayName("is everything that was there, when nothing is known, and nothing at first")
    void extremes() {
        var unknown = new EarlierRuns(RequestProgress.unknown(10), 35);
        unknown.attached(6);
        assertThat(unknown.lostRuns(34)).isEqualTo(1);
        assertThat(unknown.lostRuns(35)).isZero();
        var none = new EarlierRuns(RequestProgress.none(10), 35);
        none.attached(6);
        assertThat(none.lostRuns(10)).isZero();
    }
}
