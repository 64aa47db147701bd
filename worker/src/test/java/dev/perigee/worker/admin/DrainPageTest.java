package dev.perigee.worker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.worker.instance.AwakeLimits;
import dev.perigee.worker.session.DrainProgress;
import dev.perigee.worker.session.DrainProgress.Left;
import dev.perigee.worker.session.DrainState.Phase;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class DrainPageTest {
    private static final DrainProgress PROGRESS =
            new DrainProgress(
                    Phase.DRAINING, 1, "update", null, List.of(new Left(3, "g-1", 2, 1, null)));

    private final List<String> asked = new CopyOnWriteArrayList<>();

    private final class Control implements DrainControl {
        @Override
        public String workerId() {
            return "w-1";
        }

        @Override
        public DrainProgress drain(Duration timeout) {
            asked.add("drain " + timeout);
            return PROGRESS;
        }

        @Override
        public DrainProgress undo() {
            asked.add("undo");
            return PROGRESS;
        }

        @Override
        public DrainProgress progress() {
            return PROGRESS;
        }
    }

    private HttpResponse<byte[]> send(
            AdminAccess access, String method, String query, String... headers) throws Exception {
        var well = new Health("ready", List.of());
        var pages =
                new WorkerAdminServer.Pages(
                        well,
                        well,
                        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
                        List::of,
                        new ServerCapacity(0, new AwakeLimits(1, 1), () -> null),
                        false,
                        new Control(),
                        access);
        try (var server = WorkerAdminServer.start(new HostPort("127.0.0.1", 0), pages);
                var http = HttpClient.newHttpClient()) {
            var request =
                    HttpRequest.newBuilder(URI.create(server.uri() + "/drain" + query))
                            .method(method, BodyPublishers.noBody());
            if (headers.length > 0) {
                request.headers(headers);
            }
            return http.send(request.build(), BodyHandlers.ofByteArray());
        }
    }

    private static AdminAccess access(@Nullable String token, boolean open) {
        return new AdminAccess(token, open, false);
    }

    @Test
    void showsWhatIsLeft() throws Exception {
        var answer = send(access(null, true), "GET", "");

        assertThat(answer.statusCode()).isEqualTo(200);
        var json = Json.tree(answer.body());
        assertThat(json.path("worker_id").asString()).isEqualTo("w-1");
        assertThat(json.path("phase").asString()).isEqualTo("draining");
        assertThat(json.at("/partitions/0/gateway_id").asString()).isEqualTo("g-1");
        assertThat(json.at("/partitions/0/requests").asInt()).isEqualTo(1);
    }

    @Test
    void drainsAndTakesItBack() throws Exception {
        assertThat(send(access(null, true), "POST", "").statusCode()).isEqualTo(200);
        assertThat(send(access(null, true), "POST", "?timeout=5s").statusCode()).isEqualTo(200);
        assertThat(send(access(null, true), "POST", "?timeout=x").statusCode()).isEqualTo(400);
        assertThat(send(access(null, true), "DELETE", "").statusCode()).isEqualTo(200);
        assertThat(send(access(null, true), "PUT", "").statusCode()).isEqualTo(405);

        assertThat(asked).containsExactly("drain PT1M", "drain PT5S", "undo");
    }

    @Test
    void letsOnlyOperatorsDrain() throws Exception {
        assertThat(send(access(null, false), "POST", "").statusCode()).isEqualTo(403);
        assertThat(send(access("s3cret", true), "GET", "").statusCode()).isEqualTo(401);
        assertThat(send(access("s3cret", true), "POST", "").statusCode()).isEqualTo(401);
        assertThat(send(access("s3cret", true), "DELETE", "").statusCode()).isEqualTo(401);
        assertThat(
                        send(access("s3cret", false), "POST", "", "Authorization", "Bearer wrong")
                                .statusCode())
                .isEqualTo(401);
        assertThat(
                        send(access(null, true), "POST", "", "Origin", "http://evil.example")
                                .statusCode())
                .isEqualTo(403);
        assertThat(asked).isEmpty();

        assertThat(
                        send(access("s3cret", false), "POST", "", "Authorization", "Bearer s3cret")
                                .statusCode())
                .isEqualTo(200);
        assertThat(asked).hasSize(1);
    }
}
