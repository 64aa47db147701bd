package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.instance.InstanceIdentity;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-09: an entry of a journal that is waited for")
final class AwaitedEntriesTest {
    private final List<Long> told = new ArrayList<>();
    private final ProcessJournal journal =
            new ProcessJournal(
                    InstanceIdentity.of(0, 1, Orders.config("i1")),
                    new Journal.Limits(1000, 1000, 1000, WhenFull.PAUSE),
                    1,
                    ByteBudget.of(1 << 20),
                    new EventFrames("w-1", Clock.systemUTC()),
                    ignored -> {});

    private void append(long number) {
        boolean taken =
                journal.appendAwaited(
                        seq -> {
                            assertThat(seq).isEqualTo(number);
                            return new byte[] {(byte) seq};
                        },
                        () -> told.add(number));
        assertThat(taken).isTrue();
    }

    @Test
    @DisplayName("is told of once, when it and all before are acknowledged")
    void acknowledged() {
        assertThat(journal.append(seq -> new byte[] {1}, null)).isTrue();
        append(2);
        append(3);
        journal.acknowledge(1);
        assertThat(told).isEmpty();
        journal.acknowledge(2);
        assertThat(told).containsExactly(2L);
        append(4);
        journal.acknowledge(4);
        journal.acknowledge(4);
        assertThat(told).containsExactly(2L, 3L, 4L);
    }

    @Test
    @DisplayName("is not told of when the session ends before")
    void ended() {
        append(1);
        journal.end();
        journal.acknowledge(1);
        assertThat(told).isEmpty();
    }

    @Test
    @DisplayName("is told of to the newest sixteen")
    void bounded() {
        for (long number = 1; number <= 20; number++) {
            append(number);
        }
        journal.acknowledge(20);
        assertThat(told).hasSize(16).startsWith(5L).endsWith(20L);
    }
}
