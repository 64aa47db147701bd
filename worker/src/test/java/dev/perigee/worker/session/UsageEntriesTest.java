package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.instance.InstanceIdentity;
import java.time.Clock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-07: a journal's entry of usage")
final class UsageEntriesTest {
    private final ProcessJournal journal =
            new ProcessJournal(
                    InstanceIdentity.of(0, 1, Orders.config("i1")),
                    new Journal.Limits(1000, 1000, 1000, WhenFull.PAUSE),
                    1,
                    ByteBudget.of(1 << 20),
                    new EventFrames("w-1", Clock.systemUTC()),
                    ignored -> {});

    private void append() {
        assertThat(journal.append(seq -> new byte[] {(byte) seq}, null)).isTrue();
    }

    private void appendUsage() {
        assertThat(journal.appendUsage(seq -> new byte[] {(byte) seq})).isTrue();
    }

    @Test
    @DisplayName("is held until it is acknowledged, whatever comes before and after it")
    void isHeld() {
        append();
        assertThat(journal.holdsUsage()).isFalse();
        appendUsage();
        append();
        assertThat(journal.holdsUsage()).isTrue();
        journal.acknowledge(1);
        assertThat(journal.holdsUsage()).isTrue();
        journal.acknowledge(2);
        assertThat(journal.holdsUsage()).isFalse();
        appendUsage();
        journal.acknowledge(3);
        assertThat(journal.holdsUsage()).isTrue();
        journal.acknowledge(4);
        assertThat(journal.holdsUsage()).isFalse();
    }

    @Test
    @DisplayName("is not made where the session is over")
    void ended() {
        journal.end();

        assertThat(journal.holdsUsage()).isTrue();
    }
}
