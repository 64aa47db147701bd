package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.TestAuthority;
import dev.perigee.protocol.tls.PemFile;
import dev.perigee.protocol.tls.ReloadedTls;
import dev.perigee.protocol.tls.TlsFileException;
import dev.perigee.protocol.tls.TlsFiles;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.WebSocketHandshakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A link that only gateways with certificates reach, over real sockets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LinkServerTlsTest {
    private static final String HERE = "ip:127.0.0.1";
    private static final Duration DEAD_AFTER = Duration.ofSeconds(10);

    @TempDir static Path directory;
    private TestAuthority workers;
    private TestAuthority gateways;
    private TestAuthority.Identity worker;
    private TestAuthority.Identity gateway;
    private LinkServerFixture link;

    @BeforeAll
    void start() throws Exception {
        workers = new TestAuthority(directory, "workers");
        gateways = new TestAuthority(directory, "gateways");
        worker = workers.identity("worker", HERE, TestAuthority.VALID);
        gateway = gateways.identity("gateway", HERE, TestAuthority.VALID);
        link =
                new LinkServerFixture(
                        LinkServerFixture.OPTIONS, options("127.0.0.1:0", LinkServerFixture.TOKEN));
    }

    @AfterAll
    void stop() {
        link.close();
    }

    private LinkServerOptions options(String listen, @Nullable String token) {
        return LinkServerFixture.link(
                listen, token, tls(worker, gateways.certificate()), DEAD_AFTER);
    }

    private static TlsOptions tls(TestAuthority.Identity identity, @Nullable Path clientCa) {
        return new TlsOptions(
                new TlsFiles(
                        new PemFile("link.tls.certificate", identity.certificate()),
                        new PemFile("link.tls.key", identity.key()),
                        clientCa == null ? null : new PemFile("link.tls.client-ca", clientCa)),
                Duration.ofMillis(50));
    }

    /** Of a gateway that believes the workers' authority. */
    private SSLContext shows(TestAuthority.@Nullable Identity identity) throws TlsFileException {
        return new ReloadedTls(
                        new TlsFiles(
                                identity == null ? null : pem(identity.certificate()),
                                identity == null ? null : pem(identity.key()),
                                pem(workers.certificate())))
                .context();
    }

    private static PemFile pem(Path path) {
        return new PemFile("test", path);
    }

    private double refusals() {
        return link.meters.get("perigee.worker.link.unauthorized").counter().count();
    }

    @Test
    void speaksToWhoHasTokenAndCertificate() throws Exception {
        assertThat(link.uri().getScheme()).isEqualTo("wss");
        try (var peer = RawGateway.dial("g", link.uri(), LinkServerFixture.TOKEN, shows(gateway))) {
            assertThat(peer.hello().workerId()).isEqualTo("w-1");
        }
    }

    @Test
    @DisplayName("RES-25 without a certificate, or with a bad one, nobody is upgraded")
    void refusesWhoHasNoGoodCertificate() throws Exception {
        // Of the same name, so that it is sent at all: the JDK offers what the worker asks for.
        var namesake = new TestAuthority(directory, "gateways");
        refusesAtTheHandshake(null);
        refusesAtTheHandshake(namesake.identity("stranger", HERE, TestAuthority.VALID));
        refusesAtTheHandshake(gateways.identity("late", HERE, TestAuthority.EXPIRED));
        refusesAtTheHandshake(worker);
    }

    private void refusesAtTheHandshake(TestAuthority.@Nullable Identity identity) throws Exception {
        var before = refusals();
        var shown = shows(identity);
        assertThatThrownBy(
                        () ->
                                RawGateway.dial("g", link.uri(), LinkServerFixture.TOKEN, shown)
                                        .close())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isNotInstanceOf(WebSocketHandshakeException.class);
        await().until(() -> refusals() > before);
    }

    @Test
    @DisplayName("RES-25 where both are configured a certificate does not replace the token")
    void wantsTheTokenToo() throws Exception {
        var shown = shows(gateway);
        assertThatThrownBy(() -> RawGateway.dial("g", link.uri(), "wrong", shown).close())
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        refused -> assertThat(refused.getResponse().statusCode()).isEqualTo(401));
    }

    @Test
    @DisplayName("TEN-15 who never begins its handshake counts as a stranger's connection, too")
    void boundsStrangersBeforeTheirHandshake() throws Exception {
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 300; i++) {
                var here = InetAddress.ofLiteral("127.0.0.1");
                sockets.add(new Socket(here, link.uri().getPort()));
            }
            await().until(
                            () ->
                                    link.meters
                                                    .get("perigee.worker.link.displaced")
                                                    .functionCounter()
                                                    .count()
                                            >= 300 - 256);
            assertThat(link.meters.get("perigee.worker.link.unauthenticated").gauge().value())
                    .isLessThanOrEqualTo(256);
            // Of the strangers' own address it would have to go itself, at one time of 257.
            var elsewhere =
                    HttpClient.newBuilder()
                            .sslContext(shows(gateway))
                            .localAddress(InetAddress.ofLiteral("127.0.0.2"));
            try (var peer = RawGateway.dial("g", link.uri(), LinkServerFixture.TOKEN, elsewhere)) {
                assertThat(peer.hello().workerId()).isEqualTo("w-1");
            }
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void aResumedSessionDoesNotOutliveItsCertificate() throws Exception {
        try (var file = Files.newInputStream(gateway.certificate())) {
            var certificate =
                    (X509Certificate)
                            CertificateFactory.getInstance("X.509").generateCertificate(file);
            var end = certificate.getNotAfter().toInstant();
            assertThatCode(() -> LinkTls.requireCurrent(certificate, end))
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> LinkTls.requireCurrent(certificate, end.plusSeconds(1)))
                    .isInstanceOf(SSLException.class);
        }
    }

    @Test
    void listensForOthersWithClientCertificatesOnly() throws Exception {
        new LinkServerFixture(LinkServerFixture.OPTIONS, options("0.0.0.0:0", null)).close();

        var encryptedOnly =
                LinkServerFixture.link(
                        "0.0.0.0:0", null, tls(worker, null), Duration.ofSeconds(10));
        assertThatThrownBy(
                        () ->
                                new LinkServerFixture(LinkServerFixture.OPTIONS, encryptedOnly)
                                        .close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("link.token", "link.tls.client-ca");
    }

    @Test
    void doesNotStartWithAFileThatIsMissing() {
        var gone = new TestAuthority.Identity(directory.resolve("gone.pem"), worker.key());
        var options = LinkServerFixture.link("127.0.0.1:0", null, tls(gone, null), DEAD_AFTER);
        assertThatThrownBy(() -> new LinkServerFixture(LinkServerFixture.OPTIONS, options).close())
                .isInstanceOf(TlsFileException.class)
                .hasMessageContaining("link.tls.certificate");
    }

    @Test
    void newConnectionsUseARenewedCertificate() throws Exception {
        var renewed = workers.identity("renewed", HERE, TestAuthority.EXPIRED);
        var good = workers.identity("good", HERE, TestAuthority.VALID);
        var options = LinkServerFixture.link("127.0.0.1:0", null, tls(renewed, null), DEAD_AFTER);
        try (var renewing = new LinkServerFixture(LinkServerFixture.OPTIONS, options)) {
            var shown = shows(null);
            assertThatThrownBy(() -> RawGateway.dial("g", renewing.uri(), null, shown).close())
                    .isInstanceOf(CompletionException.class);

            renewed.becomes(good);

            await().ignoreExceptions()
                    .untilAsserted(() -> RawGateway.dial("g", renewing.uri(), null, shown).close());
        }
    }
}
