package dev.perigee.worker.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.worker.instance.AwakeLimits;
import dev.perigee.worker.session.DrainProgress;
import dev.perigee.worker.session.DrainState.Phase;
import dev.perigee.worker.session.Flood;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The admin server's connections, over real sockets. */
final class AdminConnectionsTest {
    private static final DrainProgress SERVING =
            new DrainProgress(Phase.SERVING, 0, null, null, List.of());

    private static final class Control implements DrainControl {
        @Override
        public String workerId() {
            return "w-1";
        }

        @Override
        public DrainProgress drain(Duration timeout) {
            return SERVING;
        }

        @Override
        public DrainProgress undo() {
            return SERVING;
        }

        @Override
        public DrainProgress progress() {
            return SERVING;
        }
    }

    private final PrometheusMeterRegistry meters =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private WorkerAdminServer start() throws IOException {
        var well = new Health("ready", List.of());
        return WorkerAdminServer.start(
                new HostPort("127.0.0.1", 0),
                new WorkerAdminServer.Pages(
                        well,
                        well,
                        meters,
                        List::of,
                        new ServerCapacity(0, new AwakeLimits(1, 1), () -> null),
                        false,
                        new Control(),
                        new AdminAccess("s3cret", false, false)));
    }

    /** Of the strangers' own address one that asks would be displaced at one time of 129. */
    private static HttpClient elsewhere() {
        return HttpClient.newBuilder().localAddress(InetAddress.ofLiteral("127.0.0.2")).build();
    }

    @Test
    @DisplayName("TEN-15 while 20,000 strangers' connections come another address is answered")
    void answersMeanwhile() throws Exception {
        try (var server = start();
                var http = elsewhere();
                var flood = Flood.on(server.uri().getPort())) {
            var operator =
                    HttpRequest.newBuilder(server.uri().resolve("/metrics"))
                            .header("Authorization", "Bearer s3cret")
                            .timeout(Duration.ofSeconds(20))
                            .build();
            while (flood.tried() < 20_000) {
                assertThat(http.send(operator, BodyHandlers.discarding()).statusCode())
                        .isEqualTo(200);
                assertThat(meters.get("perigee.worker.admin.connections").gauge().value())
                        .isLessThanOrEqualTo(128);
            }
            assertThat(flood.made()).isGreaterThan(5_000);
        }
        assertThat(meters.get("perigee.worker.admin.displaced").functionCounter().count())
                .isPositive();
    }

    @Test
    @DisplayName("TEN-15 many connections that ask for nothing are closed, who asks is answered")
    void areBounded() throws Exception {
        var sockets = new ArrayList<Socket>();
        try (var server = start();
                var http = elsewhere()) {
            for (int i = 0; i < 300; i++) {
                sockets.add(new Socket(InetAddress.ofLiteral("127.0.0.1"), server.uri().getPort()));
            }
            await().until(
                            () ->
                                    meters.get("perigee.worker.admin.displaced")
                                                    .functionCounter()
                                                    .count()
                                            == 300 - 128);
            assertThat(meters.get("perigee.worker.admin.connections").gauge().value())
                    .isEqualTo(128);
            var request = HttpRequest.newBuilder(server.uri().resolve("/health/live")).build();
            assertThat(http.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }
}
