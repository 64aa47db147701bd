package dev.perigee.protocol.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A connector whose selector opens nothing for a while, over real sockets. */
final class ArrivalsTest {
    private static final int MOST = 4;
    private static final int ALL = 50;

    private final CountDownLatch blocked = new CountDownLatch(1);
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger opened = new AtomicInteger();

    /** Counts what is opened. */
    private final class Opening implements Connection.Listener {
        @Override
        public void onOpened(Connection connection) {
            opened.incrementAndGet();
        }
    }

    private void hold(Selector selector) {
        try {
            blocked.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Counting extends ServerConnector {
        Counting(Server server, HttpConnectionFactory http) {
            super(server, 1, 1, http);
        }

        @Override
        public void accept(int acceptor) throws IOException {
            super.accept(acceptor);
            accepted.incrementAndGet();
        }
    }

    @Test
    @DisplayName("TEN-15: what is accepted waits in the kernel while the selector is behind")
    void waitsForTheSelector() throws Exception {
        var server = new Server();
        var http = new HttpConnectionFactory();
        http.addEventListener(new Opening());
        var connector = new Counting(server, http);
        connector.setHost("127.0.0.1");
        connector.setAcceptQueueSize(ALL);
        connector.getSelectorManager().addEventListener(new Arrivals(MOST));
        server.addConnector(connector);
        server.start();
        connector
                .getSelectorManager()
                .getContainedBeans(ManagedSelector.class)
                .forEach(selector -> selector.submit(this::hold));
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < ALL; i++) {
                sockets.add(
                        new Socket(InetAddress.ofLiteral("127.0.0.1"), connector.getLocalPort()));
            }
            await().until(() -> accepted.get() >= MOST);
            assertThat(accepted.get()).isEqualTo(MOST);
            blocked.countDown();
            await().until(() -> opened.get() == ALL);
        } finally {
            blocked.countDown();
            for (var socket : sockets) {
                socket.close();
            }
            server.stop();
        }
    }
}
