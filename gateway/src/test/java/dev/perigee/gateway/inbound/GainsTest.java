package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class GainsTest {
    private final Gains gains = new Gains();

    @Test
    void aPartitionThatIsGivenBackAtOnceWasNobodyElses() {
        assertThat(gains.assigned(3, 7, 100)).isEqualTo(100);
        assertThat(gains.assigned(3, 8, 200)).isEqualTo(100);
        assertThat(gains.assigned(3, 9, 300)).isEqualTo(100);
        assertThat(gains.assigned(4, 9, 300)).isEqualTo(300);
    }

    @Test
    void aPartitionThatWasNeverTakenAwayWasNobodyElses() {
        assertThat(gains.assigned(3, 7, 100)).isEqualTo(100);
        assertThat(gains.kept(3, 12, 200)).isEqualTo(100);
        assertThat(gains.assigned(3, 13, 300)).isEqualTo(100);
        assertThat(gains.kept(4, 12, 200)).isEqualTo(200);
    }

    @Test
    @DisplayName("OWN-01: one that was away for a generation may have been another gateway's")
    void aPartitionThatWasAwayIsNew() {
        assertThat(gains.assigned(3, 7, 100)).isEqualTo(100);
        assertThat(gains.assigned(3, 9, 200)).isEqualTo(200);
        assertThat(gains.assigned(3, 9, 300)).isEqualTo(300);
    }
}
