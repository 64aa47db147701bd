package dev.perigee.local.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.part.CliException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A page whose body stalls")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AdminHttpTest {
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** Answers each request with headers and half a body, and keeps the connection. */
    private static final class Stalling implements AutoCloseable {
        private final ServerSocket socket =
                new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

        Stalling() throws IOException {
            Thread.ofPlatform().daemon().start(this::accept);
        }

        private void accept() {
            try {
                while (true) {
                    answer(socket.accept());
                }
            } catch (IOException e) {
                // Closed: the test is over.
            }
        }

        private static void answer(Socket peer) throws IOException {
            var request = peer.getInputStream();
            for (int matched = 0; matched < 4; ) {
                int next = request.read();
                if (next < 0) {
                    return;
                }
                matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : 0;
            }
            peer.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{".getBytes(US_ASCII));
        }

        URI url() {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    @DisplayName("counts as one that does not answer")
    void isNoAnswer() throws Exception {
        try (var part = new Stalling();
                var pages = new PartPages(new AdminHttp(null, PATIENCE))) {
            assertThat(pages.obstacle(part.url())).contains("does not answer");
            assertThat(pages.started(part.url())).isNull();
            assertThat(pages.starting(part.url())).isEqualTo(-1);
        }
    }

    @Test
    @DisplayName("is no worker's answer")
    void isNoWorker() throws Exception {
        try (var part = new Stalling();
                var page = WorkerAdmin.at("w-1", part.url(), new AdminHttp(null, PATIENCE))) {
            assertThatThrownBy(page::progress)
                    .isInstanceOf(CliException.class)
                    .hasMessageContaining("does not answer");
        }
    }
}
