package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.TestAuthority;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("RES-25: A worker with mutual TLS speaks only to gateways that it can believe")
final class FleetLinkTlsTest {
    private static final String HERE = "ip:127.0.0.1";

    @Test
    void callsGoThroughAndAStrangerIsRefused(@TempDir Path directory) throws Exception {
        var authority = new TestAuthority(directory, "fleet");
        var worker = authority.identity("worker", HERE, TestAuthority.VALID);
        var gateway = authority.identity("gateway", HERE, TestAuthority.VALID);
        try (var fleet =
                FleetUnderTest.named("link-tls")
                        .worker("link.tls.certificate", worker.certificate().toString())
                        .worker("link.tls.key", worker.key().toString())
                        .worker("link.tls.client-ca", authority.certificate().toString())
                        .gateway("link.tls.certificate", gateway.certificate().toString())
                        .gateway("link.tls.key", gateway.key().toString())
                        .gateway("link.tls.ca", authority.certificate().toString())
                        .start()) {
            assertThat(fleet.part("worker-1").field("link")).startsWith("wss://");
            var backend = fleet.backend();
            var server = backend.install(Installation.fixture());
            var answer = backend.answer(backend.request(server, "echo", "{\"message\":\"hi\"}"));
            assertThat(answer.text("outcome")).isEqualTo("success");

            gateway.becomes(
                    new TestAuthority(directory, "fleet")
                            .identity("stranger", HERE, TestAuthority.VALID));
            var stranger = fleet.startGateway(2);
            Awaitility.await()
                    .atMost(Records.PATIENCE)
                    .until(() -> stranger.output().contains("refuses this gateway's certificate"));
            assertThat(stranger.output()).doesNotContain("PRIVATE KEY");
        }
    }
}
