package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A link whose worker dies")
final class LinkDeathTest {
    @AutoClose private final LinkFixture fixture;

    LinkDeathTest() throws Exception {
        fixture = new LinkFixture();
    }

    private void attachedTo(int port) {
        fixture.start(port, FakeWorker.TOKEN, Duration.ofSeconds(1), 8 << 20);
        fixture.awaitState(LinkState.CONNECTED);
        fixture.links().open(LinkFixture.CLAIM, "worker-1", "first", true, fixture.listener);
        await().until(() -> fixture.listener.calls.contains("attached"));
    }

    @Test
    @DisplayName("OWN-14: knows it by its host, which refuses connections, before the deadline")
    void knownByRefusals() throws Exception {
        fixture.worker.saysItsEnds();
        attachedTo(fixture.worker.port());
        var before = Instant.now();

        fixture.worker.close();

        await().until(() -> fixture.listener.calls.contains("lost DEAD"));
        assertThat(fixture.listener.calls).containsExactly("attached", "suspended", "lost DEAD");
        assertThat(fixture.view().state()).isEqualTo(LinkState.FAILED);
        assertThat(fixture.view().dead()).isTrue();
        assertThat(Duration.between(before, Instant.now()))
                .isGreaterThan(LinkFixture.REFUSED_FOR)
                .isLessThan(Duration.ofSeconds(25)); // The deadline.
    }

    @Test
    @DisplayName("OWN-14: does not know it through what stands between, which refuses for itself")
    void notThroughAProxy() {
        fixture.worker.retention(Duration.ofMillis(6_500)); // 1.5 s after the margin
        fixture.worker.saysItsEnds();
        attachedTo(fixture.proxy.port());

        fixture.proxy.refuse();
        fixture.proxy.cut();

        await().until(() -> fixture.listener.calls.contains("lost UNREACHABLE"));
        assertThat(fixture.view().dead()).isFalse();
        assertThat(fixture.listener.calls).doesNotContain("lost DEAD");
    }

    @Test
    @DisplayName("OWN-14: does not know it of a worker that does not say between what ends it is")
    void notOfAnOlderWorker() throws Exception {
        fixture.worker.retention(Duration.ofMillis(6_500)); // 1.5 s after the margin
        attachedTo(fixture.worker.port());

        fixture.worker.close();

        await().until(() -> fixture.listener.calls.contains("lost UNREACHABLE"));
        assertThat(fixture.listener.calls).doesNotContain("lost DEAD");
    }

    @Test
    @DisplayName("OWN-14: does not know it of a live worker that says goodbye behind refusals")
    void notOfALiveWorkerBehindRefusals() {
        fixture.worker.retention(Duration.ofMillis(6_500)); // 1.5 s after the margin
        fixture.worker.saysItsEnds();
        attachedTo(fixture.worker.port());

        fixture.worker.refuse();
        fixture.worker.sayGoodbye();

        await().until(() -> fixture.listener.calls.contains("lost UNREACHABLE"));
        assertThat(fixture.view().dead()).isFalse();
        assertThat(fixture.listener.calls).doesNotContain("lost DEAD");
    }

    @Test
    @DisplayName("OWN-14: does not know it of a worker that said that it leaves")
    void notOfAWorkerThatLeaves() throws Exception {
        fixture.worker.retention(Duration.ofMillis(6_500)); // 1.5 s after the margin
        fixture.worker.saysItsEnds();
        attachedTo(fixture.worker.port());
        fixture.worker.tell(
                LinkMethod.DRAINING,
                new SessionNotice.Draining("stopping", 1, SessionNotice.Phase.DRAINING));
        await().until(() -> fixture.view().isDraining());

        fixture.worker.close();

        await().until(() -> fixture.listener.calls.contains("lost UNREACHABLE"));
        assertThat(fixture.listener.calls).doesNotContain("lost DEAD");
    }

    @Test
    @DisplayName("OWN-13: says since when the session was not held, which is before it is given up")
    void saysSinceWhenItWasNotHeld() throws Exception {
        fixture.worker.saysItsEnds();
        fixture.start(fixture.worker.port(), FakeWorker.TOKEN, Duration.ofSeconds(1), 8 << 20);
        fixture.awaitState(LinkState.CONNECTED);
        var session =
                fixture.links()
                        .open(LinkFixture.CLAIM, "worker-1", "first", true, fixture.listener);
        await().until(() -> fixture.listener.calls.contains("attached"));
        assertThat(session.heldUntil()).isNull();
        var before = SteadyTime.now();

        fixture.worker.close();

        await().until(() -> fixture.listener.calls.contains("suspended"));
        var suspended = SteadyTime.now();
        await().until(() -> fixture.listener.calls.contains("lost DEAD"));
        assertThat(session.heldUntil()).isBetween(before, suspended);
    }

    @Test
    @DisplayName("OWN-14: a port is refused while nobody listens there, and only then")
    void knocks() throws IOException {
        var loopback = InetAddress.getLoopbackAddress();
        try (var listening = new ServerSocket(0, 1, loopback)) {
            var there = new InetSocketAddress(loopback, listening.getLocalPort());
            assertThat(Knock.isRefused(there)).isFalse();
            // Nobody accepts, as when the process is frozen.
            for (int i = 0; i < 3; i++) {
                knockInVain(there);
            }
            assertThat(Knock.isRefused(there)).isFalse();
        }
        // Bound, so that nobody else comes to listen there.
        try (var bound = new Socket()) {
            bound.bind(new InetSocketAddress(loopback, 0));
            var there = new InetSocketAddress(loopback, bound.getLocalPort());
            assertThat(Knock.isRefused(there)).isTrue();
        }
    }

    private static void knockInVain(InetSocketAddress there) throws IOException {
        try (var socket = new Socket()) {
            socket.connect(there, 200);
        } catch (SocketTimeoutException e) {
            assertThat(e).hasMessageContaining("imed out");
        }
    }
}
