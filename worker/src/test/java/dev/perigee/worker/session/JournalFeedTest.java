package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.instance.InstanceIdentity;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What one attachment sends while another takes its place. */
final class JournalFeedTest {
    private final ProcessJournal journal =
            new ProcessJournal(
                    InstanceIdentity.of(0, 1, Orders.config("i1")),
                    new Journal.Limits(1000, 1000, 1000, WhenFull.PAUSE),
                    1,
                    ByteBudget.of(1 << 20),
                    new EventFrames("w-1", Clock.systemUTC()),
                    ignored -> {});
    private final List<Byte> sent = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable Thread> sender = new AtomicReference<>();

    @Test
    @DisplayName("a feed that is stopped sends nothing behind what its successor had acknowledged")
    void leavesNoHole() throws Exception {
        var feed = new JournalFeed("feed", new Peer(), new Credit(1000), Map.of());
        append(1);
        feed.ready(journal);
        feed.start();
        await().until(() -> sent.size() == 1);
        append(2);
        journal.append(
                seq -> {
                    // The feed took its turn and waits for the journal, which this append holds.
                    feed.ready(journal);
                    await().until(() -> state() == Thread.State.BLOCKED);
                    feed.stop();
                    journal.acknowledge(2);
                    return new byte[] {3};
                },
                null);
        await().until(() -> state() == Thread.State.TERMINATED);
        assertThat(sent).containsExactly((byte) 1);
    }

    private void append(int content) {
        journal.append(seq -> new byte[] {(byte) content}, null);
    }

    private Thread.@Nullable State state() {
        var thread = sender.get();
        return thread == null ? null : thread.getState();
    }

    /** Takes everything, heedless of an interrupt. */
    private final class Peer implements LinkPeer {
        @Override
        public Duration holds() {
            return Duration.ofDays(1);
        }

        @Override
        public String gatewayId() {
            return "g-1";
        }

        @Override
        public @Nullable String stays() {
            return null;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void attached(long requestId, Object result) {}

        @Override
        public void tell(String method, Object params) {}

        @Override
        public void flush() {}

        @Override
        public boolean sendEvent(byte[] frame) {
            sender.set(Thread.currentThread());
            sent.add(frame[0]);
            return true;
        }
    }
}
