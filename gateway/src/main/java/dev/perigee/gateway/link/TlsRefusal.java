package dev.perigee.gateway.link;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Explanation for people of a failed TLS handshake with a worker. The worker's certificate is
 * judged by types. The worker's verdict on ours comes as an alert, whose name (RFC 8446, 6.2) the
 * JDK gives in its message only; without such a name the network may have been at fault, so a retry
 * is not pointless.
 */
final class TlsRefusal {
    private static final Pattern ALERT = Pattern.compile("fatal alert: ([a-z_]+)");
    private static final Set<String> CERTIFICATE_ALERTS =
            Set.of(
                    "access_denied",
                    "bad_certificate",
                    "certificate_expired",
                    "certificate_required",
                    "certificate_revoked",
                    "certificate_unknown",
                    "unknown_ca",
                    "unsupported_certificate");

    private TlsRefusal() {}

    static AttemptFailedException explained(SSLException refused) {
        var distrust = cause(refused, CertificateException.class);
        if (distrust != null) {
            return new AttemptFailedException(distrusted(refused, distrust), true);
        }
        var message = String.valueOf(refused.getMessage());
        var alert = ALERT.matcher(message);
        if (alert.find() && CERTIFICATE_ALERTS.contains(alert.group(1))) {
            return new AttemptFailedException(
                    "the worker refuses this gateway's certificate, or that it has none (%s): set"
                                    .formatted(alert.group(1))
                            + " link.tls.certificate and link.tls.key to what the worker's"
                            + " link.tls.client-ca signed",
                    true);
        }
        return new AttemptFailedException("no TLS with the worker: " + message, false);
    }

    private static String distrusted(SSLException refused, CertificateException distrust) {
        if (cause(refused, CertificateExpiredException.class) != null) {
            return "the worker's certificate has expired: renew its link.tls.certificate";
        }
        if (cause(refused, CertPathBuilderException.class) != null) {
            return "the worker's certificate is signed by nobody whom this gateway believes: set"
                    + " link.tls.ca to the certificate of who signed it";
        }
        return "the worker's certificate is not accepted, check the host in workers: "
                + distrust.getMessage();
    }

    private static <T extends Throwable> @Nullable T cause(Throwable failure, Class<T> type) {
        for (var at = failure; at != null; at = at.getCause()) {
            if (type.isInstance(at)) {
                return type.cast(at);
            }
        }
        return null;
    }
}
