package dev.perigee.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WorkerDrainsTest {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer worker;

    @BeforeEach
    void start() throws Exception {
        worker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        worker.createContext(
                "/drain",
                exchange -> {
                    asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
                    var answer =
                            "{\"worker_id\":\"w1\",\"phase\":\"DRAINING\",\"partitions\":[{\"partition\":3}]}"
                                    .getBytes(UTF_8);
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        worker.start();
    }

    @AfterEach
    void stop() {
        worker.stop(0);
    }

    private URI admin() {
        return URI.create("http://127.0.0.1:" + worker.getAddress().getPort());
    }

    @Test
    void saysHowFarItIs() throws Exception {
        assertThat(new WorkerDrains(null).drain("w1", admin(), false))
                .isEqualTo("DRAINING, 1 partitions there");
        assertThat(asked).containsExactly("GET /drain", "POST /drain?timeout=10m");
    }

    @Test
    void tellsNoOtherWorkerToLeave() {
        for (boolean undo : List.of(false, true)) {
            assertThatThrownBy(() -> new WorkerDrains(null).drain("w2", admin(), undo))
                    .isInstanceOf(ActionRefusedException.class);
        }
        assertThat(asked).containsExactly("GET /drain", "GET /drain");
    }
}
