package dev.perigee.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.settings.HostPort;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class GatewayAdminServerTest {
    private static final AdminAccess OPEN = new AdminAccess(null, true, false);
    private static final HostPort ANY_PORT = new HostPort("127.0.0.1", 0);

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HttpClient http = HttpClient.newHttpClient();
    private volatile List<Readiness.Obstacle> obstacles = List.of();
    private GatewayAdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = GatewayAdminServer.start(ANY_PORT, OPEN, () -> obstacles, registry);
    }

    @AfterEach
    void stop() {
        server.close();
        http.close();
    }

    private HttpResponse<String> send(String method, String path, String... headers)
            throws Exception {
        return send(server, method, path, headers);
    }

    private HttpResponse<String> send(
            GatewayAdminServer server, String method, String path, String... headers)
            throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create("http://" + server.address() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void isLiveWhateverIsNotReady() throws Exception {
        obstacles = List.of(new Readiness.Obstacle("consumer", "not started"));

        var response = send("GET", "/health/live");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(Json.tree(response.body().getBytes(UTF_8)).get("status").asString())
                .isEqualTo("live");
    }

    @Test
    void isReadyWhenNothingIsInTheWay() throws Exception {
        var response = send("GET", "/health/ready");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(Json.tree(response.body().getBytes(UTF_8)).get("status").asString())
                .isEqualTo("ready");
    }

    @Test
    void saysWhyItIsNotReady() throws Exception {
        obstacles = List.of(new Readiness.Obstacle("partition-3", "its state is being restored"));

        var response = send("GET", "/health/ready");
        var body = Json.tree(response.body().getBytes(UTF_8));

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(body.get("status").asString()).isEqualTo("not_ready");
        assertThat(body.get("obstacles").get(0).get("part").asString()).isEqualTo("partition-3");
        assertThat(body.get("obstacles").get(0).get("reason").asString())
                .isEqualTo("its state is being restored");
    }

    @Test
    void isDegradedWhenItWasReadyBefore() throws Exception {
        assertThat(send("GET", "/health/ready").statusCode()).isEqualTo(200);
        obstacles = List.of(new Readiness.Obstacle("broker", "none answers"));

        var response = send("GET", "/health/ready");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(Json.tree(response.body().getBytes(UTF_8)).get("status").asString())
                .isEqualTo("degraded");
    }

    @Test
    void servesTheSharedRegistryAndTheJvm() throws Exception {
        registry.counter("perigee.test").increment();

        assertThat(send("GET", "/metrics").body())
                .contains("perigee_test_total 1.0", "jvm_memory_used_bytes", "jvm_threads_live");
    }

    @Test
    void answersNothingElse() throws Exception {
        assertThat(send("GET", "/").statusCode()).isEqualTo(404);
        assertThat(send("POST", "/metrics").statusCode()).isEqualTo(405);
        assertThat(send("HEAD", "/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void showsHealthToEverybodyAndTheRestForTheToken() throws Exception {
        var access = new AdminAccess("s3cret", false, false);
        try (var guarded = GatewayAdminServer.start(ANY_PORT, access, List::of, registry)) {
            assertThat(send(guarded, "GET", "/health/live").statusCode()).isEqualTo(200);
            assertThat(send(guarded, "GET", "/health/ready").statusCode()).isEqualTo(200);
            var refused = send(guarded, "GET", "/metrics");
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.headers().firstValue("WWW-Authenticate")).contains("Bearer");
            assertThat(refused.body()).contains("admin.token").doesNotContain("s3cret");
            assertThat(send(guarded, "GET", "/nothing").statusCode()).isEqualTo(401);
            assertThat(send(guarded, "GET", "/metrics", "Authorization", "Bearer s3cret").body())
                    .contains("jvm_threads_live");
        }
    }

    @Test
    @DisplayName(
            "TEN-15: many connections that ask for nothing are closed, and who asks is answered")
    void boundsConnections() throws Exception {
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 300; i++) {
                sockets.add(new Socket(server.address().host(), server.address().port()));
            }
            await().until(
                            () ->
                                    registry.get("perigee.gateway.admin.displaced")
                                                    .functionCounter()
                                                    .count()
                                            == 300 - 128);
            assertThat(registry.get("perigee.gateway.admin.connections").gauge().value())
                    .isEqualTo(128);
            assertThat(answered(5)).as("one of 129 is closed by chance").isGreaterThan(2);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    /** How many of those are answered who come one after another. */
    private int answered(int all) throws InterruptedException {
        int answered = 0;
        var request =
                HttpRequest.newBuilder(URI.create("http://" + server.address() + "/health/live"))
                        .build();
        for (int i = 0; i < all; i++) {
            try (var own = HttpClient.newHttpClient()) {
                var status = own.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
                answered += status == 200 ? 1 : 0;
            } catch (IOException e) {
                // It was the one that is closed.
            }
        }
        return answered;
    }

    @Test
    void namesTheAddressThatItCannotHave() {
        assertThatThrownBy(
                        () -> GatewayAdminServer.start(server.address(), OPEN, List::of, registry))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("admin.listen=" + server.address());
    }
}
