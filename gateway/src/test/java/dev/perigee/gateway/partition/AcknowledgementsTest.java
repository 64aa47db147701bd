package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.link.SessionNotice.ProcessAck;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AcknowledgementsTest {
    private final Acknowledgements acks = new Acknowledgements();

    @Test
    void acknowledgesUpToTheFirstEntryThatIsNotDurable() {
        acks.arrived("p", 4);
        acks.arrived("p", 5);
        acks.arrived("p", 6);
        acks.settled("p", 5, 10);
        assertThat(acks.takeAcks()).isEmpty();
        acks.settled("p", 4, 10);
        assertThat(acks.takeAcks()).containsExactly(new ProcessAck("p", 5));
        assertThat(acks.takeAcks()).isEmpty();
        assertThat(acks.takeCredit()).isEqualTo(20);
        assertThat(acks.takeCredit()).isZero();
    }

    @Test
    @DisplayName("RES-11: entries behind a hole are acknowledged, and with them those in it")
    void acknowledgesPastAHole() {
        acks.arrived("p", 3);
        acks.arrived("p", 9);
        acks.settled("p", 9, 0);
        assertThat(acks.takeAcks()).isEmpty();
        acks.settled("p", 3, 0);
        assertThat(acks.takeAcks()).containsExactly(new ProcessAck("p", 9));
    }

    @Test
    void countsEachProcessForItself() {
        acks.arrived("p", 1);
        acks.arrived("q", 1);
        acks.settled("q", 1, 0);
        assertThat(acks.takeAcks()).containsExactly(new ProcessAck("q", 1));
    }
}
