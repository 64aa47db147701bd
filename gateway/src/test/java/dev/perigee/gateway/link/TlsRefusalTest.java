package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class TlsRefusalTest {
    static Stream<Arguments> refusals() {
        return Stream.of(
                alert("certificate_required", true, "link.tls.certificate"),
                alert("certificate_unknown", true, "link.tls.certificate"),
                alert("internal_error", false, "internal_error"),
                alert("handshake_failure", false, "handshake_failure"),
                Arguments.of(new SSLHandshakeException("Abruptly closed by peer"), false, "closed"),
                Arguments.of(because(new CertificateException("No name")), true, "No name"),
                Arguments.of(because(new CertificateExpiredException()), true, "has expired"),
                Arguments.of(
                        because(new CertificateException(new CertPathBuilderException())),
                        true,
                        "set link.tls.ca"));
    }

    private static Arguments alert(String name, boolean permanent, String part) {
        var message = "(" + name + ") Received fatal alert: " + name;
        return Arguments.of(new SSLHandshakeException(message), permanent, part);
    }

    private static SSLException because(CertificateException cause) {
        return new SSLException("no", cause);
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void isPermanentWhereSomebodyMustChangeSomething(
            SSLException refusal, boolean permanent, String part) {
        var explained = TlsRefusal.explained(refusal);
        assertThat(explained.isPermanent()).isEqualTo(permanent);
        assertThat(explained).hasMessageContaining(part);
    }
}
