package dev.perigee.part;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("DEP-05: the health check of images")
final class HealthProbeTest {
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        page("/ready", 200, "{}");
        page("/not", 503, "{\"obstacles\":[\"no link\\u001b[2J\"]}" + "x".repeat(10_000));
        page("/moved", 302, "");
        server.start();
    }

    @AfterEach
    void end() {
        server.stop(0);
    }

    private void page(String path, int status, String body) {
        server.createContext(
                path,
                exchange -> {
                    try (exchange) {
                        exchange.getResponseHeaders().add("Location", "/ready");
                        exchange.sendResponseHeaders(status, body.length());
                        exchange.getResponseBody().write(body.getBytes(UTF_8));
                    }
                });
    }

    private int run(String... arguments) {
        return HealthProbe.run(arguments, new PrintStream(said, true, UTF_8));
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    @Test
    @DisplayName("is content with 200 alone")
    void takesReady() {
        assertThat(run(url("/ready"))).isZero();
        assertThat(said.toString(UTF_8)).isEmpty();
        assertThat(run(url("/moved"))).isEqualTo(1);
    }

    @Test
    @DisplayName("says what the page says, and no more of it than is good")
    void saysWhy() {
        assertThat(run(url("/not"))).isEqualTo(1);
        assertThat(said.toString(UTF_8))
                .contains("/not answers 503", "no link")
                .hasSizeLessThan(5_000);
    }

    @Test
    @DisplayName("says so when nobody answers, and when it is asked wrongly")
    void saysThatNobodyIsThere() {
        server.stop(0);

        assertThat(run(url("/ready"))).isEqualTo(1);
        assertThat(said.toString(UTF_8)).contains("does not answer");
        assertThat(run("not a url")).isEqualTo(1);
        assertThat(run("file:/etc/hostname")).isEqualTo(1);
        assertThat(run()).isEqualTo(64);
    }
}
