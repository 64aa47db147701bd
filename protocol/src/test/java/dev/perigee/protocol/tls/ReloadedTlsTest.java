package dev.perigee.protocol.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.faults.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPairGenerator;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ReloadedTlsTest {
    @TempDir static Path directory;
    private static TestAuthority authority;
    private static TestAuthority.Identity one;
    private static TestAuthority.Identity two;

    @TempDir Path own;
    private TestAuthority.Identity identity;
    private TlsFiles files;

    @BeforeAll
    static void makeCertificates() throws Exception {
        authority = new TestAuthority(directory, "tests");
        one = authority.identity("one", "dns:one", TestAuthority.VALID);
        two = authority.identity("two", "dns:two", TestAuthority.VALID);
    }

    @BeforeEach
    void putOneInPlace() throws Exception {
        identity =
                new TestAuthority.Identity(own.resolve("certificate.pem"), own.resolve("key.pem"));
        identity.becomes(one);
        files = files(identity.certificate(), identity.key(), authority.certificate());
    }

    private static TlsFiles files(Path certificate, Path key, Path authorities) {
        return new TlsFiles(
                new PemFile("link.tls.certificate", certificate),
                new PemFile("link.tls.key", key),
                new PemFile("link.tls.ca", authorities));
    }

    private void refused(TlsFiles refused, String... parts) {
        assertThatThrownBy(() -> new ReloadedTls(refused))
                .isInstanceOf(TlsFileException.class)
                .hasMessageContainingAll(parts)
                .hasNoCause();
    }

    @Test
    void takesTheNewFilesWhenAllAreThere() throws Exception {
        var tls = new ReloadedTls(files);
        var before = tls.context();
        assertThat(tls.reload()).isFalse();
        assertThat(tls.context()).isSameAs(before);

        Files.copy(two.key(), identity.key(), StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(tls::reload)
                .isInstanceOf(TlsFileException.class)
                .hasMessageContaining("link.tls.key");
        assertThat(tls.reload()).as("the same is said once").isFalse();
        assertThat(tls.context()).isSameAs(before);

        identity.becomes(two);
        assertThat(tls.reload()).isTrue();
        assertThat(tls.context()).isNotSameAs(before);
        assertThat(tls.reload()).isFalse();
    }

    @Test
    void saysWhichFileIsMissing() {
        var gone = own.resolve("gone.pem");
        refused(
                files(gone, identity.key(), authority.certificate()),
                "link.tls.certificate",
                gone.toString(),
                "does not exist");
        refused(files(identity.certificate(), gone, authority.certificate()), "link.tls.key");
        refused(files(identity.certificate(), identity.key(), gone), "link.tls.ca");
        refused(files(identity.certificate(), own, authority.certificate()), "cannot be read");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nothing",
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
            })
    void refusesWhatIsNoPem(String content) throws Exception {
        var bad = Files.writeString(own.resolve("bad.pem"), content);
        refused(files(bad, identity.key(), authority.certificate()), "link.tls.certificate: ");
        refused(files(identity.certificate(), bad, authority.certificate()), "link.tls.key: ");
        refused(files(identity.certificate(), identity.key(), bad), "link.tls.ca: ");
    }

    @Test
    void refusesCertificatesThatAreNoChain() throws Exception {
        var unordered = own.resolve("unordered.pem");
        Files.writeString(
                unordered,
                Files.readString(identity.certificate()) + Files.readString(two.certificate()));
        refused(
                files(unordered, identity.key(), authority.certificate()),
                "link.tls.certificate",
                "issuer");
    }

    @Test
    void saysHowToWriteAnotherKindOfKey() throws Exception {
        var text = Files.readString(identity.key());
        for (var kind : new String[] {"RSA", "EC", "ENCRYPTED"}) {
            Files.writeString(identity.key(), text.replace("PRIVATE KEY", kind + " PRIVATE KEY"));
            refused(files, "link.tls.key", kind + " PRIVATE KEY", "PKCS#8");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void refusesTheKeyOfAnotherCertificateWithoutShowingIt(String algorithm) throws Exception {
        var key = KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
        var base64 = Base64.getEncoder().encodeToString(key.getEncoded());
        Files.writeString(
                identity.key(),
                "-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n");

        assertThatThrownBy(() -> new ReloadedTls(files))
                .hasMessageContaining("does not hold the certificate's EC key")
                .hasMessageNotContaining(base64.substring(0, 20))
                .hasNoCause();
    }

    @Test
    void believesWhomTheJdkBelievesWithoutAFile() throws Exception {
        assertThat(new ReloadedTls(new TlsFiles(null, null, null)).context()).isNotNull();
    }
}
