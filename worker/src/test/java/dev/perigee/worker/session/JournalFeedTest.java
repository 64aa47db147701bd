package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.instance.InstanceIdentity;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
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

    @Test
    @DisplayName("a feed that is stopped while its event waits for room queues it no more")
    void queuesNothingLate() {
        var peer = new Peer();
        var feed = new JournalFeed("feed", peer, new Credit(1000), Map.of());
        peer.whileWaiting = feed::stop;
        append(1);
        feed.ready(journal);
        feed.start();
        await().until(() -> state() == Thread.State.TERMINATED);
        assertThat(sent).isEmpty();
        assertThat(peer.room).hasValue(0);
    }

    @Test
    @DisplayName("a feed says whose results it queued, and of none that it could not queue")
    void saysWhoseResults() {
        var peer = new Peer();
        var feed = new JournalFeed("feed", peer, new Credit(1000), Map.of());
        journal.append(seq -> new byte[] {1}, new RecordOrigin("t", 0, 1));
        append(2);
        journal.append(seq -> new byte[] {3}, new RecordOrigin("t", 0, 2));
        peer.takes = 2;
        feed.ready(journal);
        feed.start();
        await().until(() -> state() == Thread.State.TERMINATED);
        assertThat(sent).containsExactly((byte) 1, (byte) 2);
        assertThat(peer.answered).containsExactly(new RecordOrigin("t", 0, 1));
    }

    @Test
    @DisplayName("a feed ends before the next attach on its connection is answered")
    void endsBeforeTheAnswer() throws Exception {
        var instances = new FakeInstances();
        var sessions =
                new SessionRegistry(
                        "w-1",
                        LinkServerFixture.OPTIONS,
                        instances,
                        new SimpleMeterRegistry(),
                        Clock.systemUTC());
        var seen = new CopyOnWriteArrayList<String>();
        var peer =
                new Peer() {
                    private boolean again;

                    @Override
                    public void attached(long requestId, Object result) {
                        seen.add("attached");
                        if (again) {
                            speak(instances);
                            await().until(
                                            () ->
                                                    state() == Thread.State.TERMINATED
                                                            || seen.contains("2"));
                        }
                        again = true;
                    }

                    @Override
                    public boolean sendEvent(byte[] frame, int reserved) {
                        var event = (LinkFrame.Notification) LinkFrame.decode(frame);
                        long seq = Json.read(event.params(), InstanceEvent.class).seq();
                        return seen.add(Long.toString(seq));
                    }
                };
        attach(sessions, peer, 1);
        sessions.asOwner(
                peer, Orders.PARTITION, session -> session.apply("a", Orders.apply(null, "i1", 1)));
        speak(instances);
        await().until(() -> seen.contains("1"));

        attach(sessions, peer, 2);

        await().until(() -> seen.getLast().equals("2"));
        assertThat(seen).containsExactly("attached", "1", "attached", "1", "2");
        sessions.closed(peer);
    }

    private static void attach(SessionRegistry sessions, LinkPeer peer, long epoch)
            throws LinkRefusal {
        var request =
                new Attach.Request(
                        Orders.PARTITION, epoch, "g-1", 1, epoch == 1, List.of(), 1 << 20, null);
        assertThat(sessions.attach(peer, request, epoch)).isNull();
    }

    private static void speak(FakeInstances instances) {
        instances.instance("i1").journal().append(Events.status(), null, null);
    }

    private void append(int content) {
        journal.append(seq -> new byte[] {(byte) content}, null);
    }

    private Thread.@Nullable State state() {
        var thread = sender.get();
        return thread == null ? null : thread.getState();
    }

    /** Takes everything, heedless of an interrupt. */
    private class Peer implements LinkPeer {
        final AtomicInteger room = new AtomicInteger();
        final List<RecordOrigin> answered = new CopyOnWriteArrayList<>();
        volatile int takes = Integer.MAX_VALUE;
        volatile Runnable whileWaiting = () -> {};

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
        public int awaitRoom(int bytes) {
            sender.set(Thread.currentThread());
            whileWaiting.run();
            room.addAndGet(bytes);
            return bytes;
        }

        @Override
        public void returnRoom(int reserved) {
            room.addAndGet(-reserved);
        }

        @Override
        public boolean sendEvent(byte[] frame, int reserved) {
            return sent.size() < takes && sent.add(frame[0]);
        }

        @Override
        public void resultTaken(RecordOrigin request) {
            answered.add(request);
        }
    }
}
