package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.TestAuthority;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.tls.PemFile;
import dev.perigee.protocol.tls.ReloadedTls;
import dev.perigee.protocol.tls.TlsFileException;
import dev.perigee.protocol.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A worker behind TLS that asks for certificates, over real sockets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LinkTlsTest {
    private static final String HERE = "ip:127.0.0.1";

    @TempDir static Path directory;
    private TestAuthority workers;
    private TestAuthority gateways;
    private TestAuthority.Identity worker;
    private TestAuthority.Identity gateway;
    private @Nullable LinkFixture fixture;

    @BeforeAll
    void makeCertificates() throws Exception {
        workers = new TestAuthority(directory, "workers");
        gateways = new TestAuthority(directory, "gateways");
        worker = workers.identity("worker", HERE, TestAuthority.VALID);
        gateway = gateways.identity("gateway", HERE, TestAuthority.VALID);
    }

    @AfterEach
    void close() throws Exception {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static TlsFiles files(
            TestAuthority.@Nullable Identity identity, @Nullable Path authorities) {
        return new TlsFiles(
                identity == null ? null : pem(identity.certificate()),
                identity == null ? null : pem(identity.key()),
                authorities == null ? null : pem(authorities));
    }

    private static PemFile pem(Path path) {
        return new PemFile("test", path);
    }

    private LinkFixture dial(TestAuthority.Identity there, TlsFiles own) throws Exception {
        var server = new SslContextFactory.Server();
        server.setSslContext(new ReloadedTls(files(there, gateways.certificate())).context());
        server.setNeedClientAuth(true);
        var dialled = new LinkFixture(new FakeWorker(server), own);
        fixture = dialled;
        dialled.start();
        return dialled;
    }

    /** The gateway tries on, and says once and for all why it is in vain. */
    private void refused(LinkFixture dialled, String... parts) {
        await().until(() -> dialled.count("perigee.link.attempts.failed") >= 4);
        assertThat(dialled.view().problem()).contains(parts);
        assertThat(dialled.changes).hasValue(1);
        assertThat(dialled.view().state()).isEqualTo(LinkState.CONNECTING);
        assertThat(dialled.worker.requests).isEmpty();
    }

    @Test
    void speaksToAWorkerWhenBothBelieveEachOther() throws Exception {
        var dialled = dial(worker, files(gateway, workers.certificate()));

        dialled.awaitState(LinkState.CONNECTED);

        assertThat(dialled.worker.received(LinkMethod.HELLO)).hasSize(1);
    }

    @Test
    @DisplayName("RES-25: without a certificate it is refused and says what to set")
    void saysThatItNeedsACertificate() throws Exception {
        refused(
                dial(worker, files(null, workers.certificate())),
                "set link.tls.certificate and link.tls.key");
    }

    @Test
    @DisplayName("RES-25: with a certificate of another authority it is refused and says so")
    void saysThatItsCertificateIsOfAnotherAuthority() throws Exception {
        var namesake = new TestAuthority(directory, "gateways");
        var stranger = namesake.identity("stranger", HERE, TestAuthority.VALID);
        refused(
                dial(worker, files(stranger, workers.certificate())),
                "refuses this gateway's certificate");
    }

    @Test
    void saysThatItsCertificateHasExpiredAndTakesTheNewOne() throws Exception {
        var own = gateways.identity("own", HERE, TestAuthority.EXPIRED);
        var dialled = dial(worker, files(own, workers.certificate()));
        refused(dialled, "refuses this gateway's certificate");

        own.becomes(gateway);

        dialled.awaitState(LinkState.CONNECTED);
    }

    @Test
    void doesNotSpeakToAWorkerOfAnotherHost() throws Exception {
        var elsewhere = workers.identity("elsewhere", "dns:elsewhere", TestAuthority.VALID);
        refused(
                dial(elsewhere, files(gateway, workers.certificate())),
                "check the host in workers",
                "127.0.0.1");
    }

    @Test
    void doesNotSpeakToAWorkerThatIsSignedByNobodyItBelieves() throws Exception {
        refused(dial(worker, files(gateway, gateways.certificate())), "set link.tls.ca");
    }

    @Test
    void believesWhomTheJdkBelievesWithoutAnAuthority() throws Exception {
        refused(dial(worker, files(gateway, null)), "set link.tls.ca");
    }

    @Test
    void doesNotSpeakToAWorkerWhoseCertificateHasExpired() throws Exception {
        var late = workers.identity("late", HERE, TestAuthority.EXPIRED);
        refused(dial(late, files(gateway, workers.certificate())), "has expired");
    }

    @Test
    void saysThatAWorkerHasNoTls() throws Exception {
        var plain = new LinkFixture(new FakeWorker(), files(gateway, workers.certificate()));
        fixture = plain;
        plain.start();
        refused(plain, "no TLS with the worker");
    }

    @Test
    void doesNotStartWithAFileThatIsMissing() {
        var missing = directory.resolve("missing.pem");
        var options =
                LinkFixture.options(1, "t", files(null, missing), Duration.ofSeconds(1), 1 << 20);
        assertThatThrownBy(() -> new JettyDialer(options).close())
                .isInstanceOf(TlsFileException.class)
                .hasMessageContaining(missing.toString());
    }
}
