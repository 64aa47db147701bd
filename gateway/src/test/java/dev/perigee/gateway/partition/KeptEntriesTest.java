package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.link.SessionNotice.ProcessAck;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Of journal entries whose topic cannot be written. */
class KeptEntriesTest {
    private static final String PROCESS = "p";
    private final Acknowledgements acknowledgements = new Acknowledgements();

    @Test
    @DisplayName("OWN-08 an entry that is kept stays in the journal and takes no credit")
    void staysInTheJournal() {
        arrive(3);
        acknowledgements.kept(PROCESS, 1, 100);
        acknowledgements.settled(PROCESS, 2, 10);

        assertThat(acknowledgements.takeCredit()).isEqualTo(110);
        assertThat(acknowledgements.takeAcks()).isEmpty();

        acknowledgements.settled(PROCESS, 1, 0);
        assertThat(acknowledgements.takeAcks()).containsExactly(new ProcessAck(PROCESS, 2));
        assertThat(acknowledgements.takeCredit()).isZero();
    }

    @Test
    @DisplayName("OWN-08 a journal goes on when too much of it is behind an entry that is kept")
    void goesOn() {
        arrive(3);
        acknowledgements.kept(PROCESS, 1, 0);
        acknowledgements.settled(PROCESS, 2, Acknowledgements.MOST_BYTES_BEHIND);
        assertThat(acknowledgements.takeAcks()).isEmpty();
        acknowledgements.settled(PROCESS, 3, 1);

        assertThat(acknowledgements.takeAcks()).containsExactly(new ProcessAck(PROCESS, 3));
    }

    @Test
    @DisplayName("OWN-08 a session that ends waits for nothing that is kept")
    void endsWithoutThem() {
        arrive(1);
        acknowledgements.kept(PROCESS, 1, 0);
        acknowledgements.forgetKept();

        assertThat(acknowledgements.takeAcks()).containsExactly(new ProcessAck(PROCESS, 1));
    }

    private void arrive(int entries) {
        for (int seq = 1; seq <= entries; seq++) {
            acknowledgements.arrived(PROCESS, seq);
        }
    }
}
