package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The reservation of offsets ahead of their dispatch")
final class DispatchReservationTest {

    @Test
    @DisplayName("lets nothing go before the group knows, and after that what it knows")
    void first() {
        var reservation = new DispatchReservation(RequestProgress.none(10), 10);
        reservation.arrived(11);
        assertThat(reservation.isShort()).isFalse();
        assertThat(reservation.wanted().reserved()).isEqualTo(10);

        reservation.attached(5);
        assertThat(reservation.isShort()).isTrue();
        assertThat(reservation.take(10)).isFalse();
        var mark = reservation.wanted();
        assertThat(mark.session()).isEqualTo(5);
        assertThat(reservation.take(10)).isFalse();

        reservation.committed(mark);
        assertThat(reservation.isShort()).isFalse();
        assertThat(reservation.take(mark.reserved() - 1)).isTrue();
        assertThat(reservation.take(mark.reserved())).isFalse();
    }

    @Test
    @DisplayName("needs no commit for a session that the owner before it had")
    void sameSession() {
        var reservation = of(100, 5, 20);
        assertThat(reservation.take(60)).isFalse();
        reservation.attached(5);
        assertThat(reservation.take(99)).isTrue();
        assertThat(reservation.take(100)).isFalse();
        assertThat(reservation.wanted().lostBelow()).isEqualTo(20);
    }

    @Test
    @DisplayName("waits for a commit with another session, to which what was sent is lost")
    void otherSession() {
        var reservation = of(100, 5, 20);
        reservation.attached(6);
        assertThat(reservation.take(60)).isFalse();
        var mark = reservation.wanted();
        assertThat(mark.lostBelow()).isEqualTo(50);
        reservation.committed(mark);
        assertThat(reservation.take(70)).isTrue();

        reservation.detached();
        assertThat(reservation.take(71)).isFalse();
        reservation.attached(7);
        assertThat(reservation.wanted().lostBelow()).isEqualTo(71);
        assertThat(reservation.wanted().lostTwiceBelow()).isEqualTo(50);
    }

    @Test
    @DisplayName(
            "never takes back what it reserved, and nothing more is reserved without a session")
    void grows() {
        var reservation = of(100, 5, 20);
        assertThat(reservation.wanted().reserved()).isEqualTo(100);
        reservation.arrived(5_000);
        assertThat(reservation.wanted().reserved()).isEqualTo(100);
        assertThat(reservation.isShort()).isFalse();
        reservation.attached(5);
        assertThat(reservation.isShort()).isTrue();
        assertThat(reservation.wanted().reserved()).isGreaterThan(5_000);
    }

    @Test
    @DisplayName("in steady traffic is renewed before it is used up")
    void steady() {
        for (int perPeriod : new int[] {1, 10, 100, 500}) {
            var reservation = new DispatchReservation(RequestProgress.none(0), 0);
            reservation.attached(1);
            reservation.committed(reservation.wanted());
            long next = 0;
            for (int period = 0; period < 200; period++) {
                reservation.period();
                var underWay = reservation.wanted();
                for (int i = 0; i < perPeriod; i++) {
                    reservation.arrived(next + 1);
                    boolean taken = reservation.take(next);
                    if (period > 20) {
                        assertThat(taken).as("%d per period", perPeriod).isTrue();
                        assertThat(reservation.isShort()).isFalse();
                    }
                    next++;
                }
                reservation.committed(underWay);
            }
            assertThat(reservation.wanted().reserved() - next)
                    .isLessThanOrEqualTo(DispatchReservation.MOST_AHEAD);
        }
    }

    @Test
    @DisplayName("is exact once it is sealed, and nothing goes any more")
    void sealed() {
        var reservation = of(100, 5, 20);
        reservation.attached(5);
        reservation.take(80);
        reservation.seal();
        assertThat(reservation.wanted().reserved()).isEqualTo(81);
        assertThat(reservation.take(60)).isFalse();
        assertThat(reservation.isShort()).isFalse();
    }

    /** Requests up to 50 came before the owner. */
    private static DispatchReservation of(long reserved, long session, long lostBelow) {
        return new DispatchReservation(
                new RequestProgress(reserved, session, lostBelow, 20, OffsetSet.none(20)), 50);
    }
}
