package dev.perigee.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class FaultProxyTest {
    private static final int LONG = 10_000;
    private static final int SHORT = 200;

    private final ServerSocket server = new ServerSocket(0, 5, InetAddress.ofLiteral("127.0.0.1"));
    private final FaultProxy proxy = FaultProxy.to(server.getLocalPort());

    FaultProxyTest() throws IOException {}

    /** Both ends of one connection through the proxy. */
    private record Ends(Socket client, Socket served) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            client.close();
            served.close();
        }
    }

    private Ends connect() throws IOException {
        var client = new Socket(InetAddress.ofLiteral("127.0.0.1"), proxy.port());
        client.setSoTimeout(LONG);
        var served = server.accept();
        served.setSoTimeout(LONG);
        return new Ends(client, served);
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void passesBothWays() throws Exception {
        try (var ends = connect()) {
            ends.client().getOutputStream().write(1);
            assertThat(ends.served().getInputStream().read()).isEqualTo(1);
            ends.served().getOutputStream().write(2);
            assertThat(ends.client().getInputStream().read()).isEqualTo(2);
            assertThat(proxy.connections()).isEqualTo(1);
        }
    }

    @Test
    void cutsWithAnEnd() throws Exception {
        try (var ends = connect()) {
            proxy.cut();
            assertThat(ends.client().getInputStream().read()).isEqualTo(-1);
            assertThat(ends.served().getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void resets() throws Exception {
        try (var ends = connect()) {
            proxy.reset();
            assertThatThrownBy(() -> ends.client().getInputStream().read())
                    .isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> ends.served().getInputStream().read())
                    .isInstanceOf(SocketException.class);
        }
    }

    @Test
    void dropsWithoutTellingAnybody() throws Exception {
        try (var ends = connect()) {
            proxy.drop();
            ends.client().getOutputStream().write(1);
            ends.client().close();
            assertThatNothingComes(ends.served());
        }
    }

    @Test
    void holdsOneDirectionAndLetsThroughWhatWasHeld() throws Exception {
        try (var ends = connect()) {
            proxy.set(Condition.holding(true, false));
            ends.client().getOutputStream().write(1);
            ends.served().getOutputStream().write(2);
            assertThat(ends.client().getInputStream().read()).isEqualTo(2);
            assertThatNothingComes(ends.served());

            proxy.set(Condition.HEALTHY);
            ends.served().setSoTimeout(LONG);
            assertThat(ends.served().getInputStream().read()).isEqualTo(1);
        }
    }

    @Test
    void holdsEndsToo() throws Exception {
        try (var ends = connect()) {
            proxy.set(Condition.holding(true, true));
            ends.client().close();
            assertThatNothingComes(ends.served());
            ends.served().getOutputStream().write(1); // Nobody is there to take it.
            assertThatNothingComes(ends.served());

            proxy.heal();
            ends.served().setSoTimeout(LONG);
            assertThat(hasEnded(ends.served())).isTrue();
        }
    }

    @Test
    void endsWhatWasBegunWhileItHeld() throws Exception {
        proxy.set(Condition.holding(false, true));
        try (var client = new Socket(InetAddress.ofLiteral("127.0.0.1"), proxy.port())) {
            client.getOutputStream().write(1);
            Awaitility.await().until(() -> proxy.open() == 1);
            assertThatNothingComes(client);
            proxy.heal();
            client.setSoTimeout(LONG);
            assertThat(hasEnded(client)).isTrue();
        }
        try (var ends = connect()) {
            ends.client().getOutputStream().write(2);
            assertThat(ends.served().getInputStream().read()).isEqualTo(2);
        }
    }

    @Test
    void cutsWhatItHolds() throws Exception {
        try (var ends = connect()) {
            proxy.set(Condition.holding(true, true));
            ends.client().getOutputStream().write(1);
            proxy.cut();
            assertThat(ends.served().getInputStream().read()).isEqualTo(-1);
        }
        Awaitility.await().untilAsserted(() -> assertThat(proxy.open()).isZero());
    }

    /** By an end, or by a reset where what it sent was read by nobody. */
    private static boolean hasEnded(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    private static void assertThatNothingComes(Socket socket) throws SocketException {
        socket.setSoTimeout(SHORT);
        assertThatThrownBy(() -> socket.getInputStream().read())
                .isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void refusesUntilItIsHealed() throws Exception {
        proxy.partition();
        try (var refused = new Socket(InetAddress.ofLiteral("127.0.0.1"), proxy.port())) {
            refused.setSoTimeout(LONG);
            assertThat(refused.getInputStream().read()).isEqualTo(-1);
        }
        proxy.heal();
        try (var ends = connect()) {
            ends.client().getOutputStream().write(3);
            assertThat(ends.served().getInputStream().read()).isEqualTo(3);
        }
    }

    @Test
    void dripsAndKeepsTheOrder() throws Exception {
        try (var ends = connect()) {
            proxy.drip(2);
            ends.client().getOutputStream().write(new byte[] {1, 2, 3, 4, 5});
            assertThat(ends.served().getInputStream().readNBytes(5)).containsExactly(1, 2, 3, 4, 5);
        }
    }

    @Test
    void delays() throws Exception {
        try (var ends = connect()) {
            ends.client().getOutputStream().write(1);
            assertThat(ends.served().getInputStream().read()).isEqualTo(1);
            proxy.delay(Duration.ofMillis(SHORT));
            // What is read already waits for its next turn at the old pace.
            ends.client().getOutputStream().write(2);
            assertThat(ends.served().getInputStream().read()).isEqualTo(2);
            long begin = System.nanoTime();
            ends.client().getOutputStream().write(3);
            assertThat(ends.served().getInputStream().read()).isEqualTo(3);
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(SHORT));
        }
    }

    @Test
    void keepsNothingOfWhatHasEnded() throws Exception {
        try (var ends = connect()) {
            ends.client().close();
            assertThat(ends.served().getInputStream().read()).isEqualTo(-1);
        }
        Awaitility.await().untilAsserted(() -> assertThat(proxy.open()).isZero());
    }
}
