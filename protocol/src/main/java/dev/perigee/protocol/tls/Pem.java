package dev.perigee.protocol.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** Decoder of PEM files (RFC 7468). The JDK's own decoder is a preview in 25. */
final class Pem {
    private static final Pattern CERTIFICATE = block("CERTIFICATE");
    private static final Pattern KEY = block("PRIVATE KEY");
    private static final Pattern OTHER_KEY = Pattern.compile("-----BEGIN ([A-Z0-9 ]+) PRIVATE KEY");

    private Pem() {}

    private static Pattern block(String label) {
        return Pattern.compile("-----BEGIN " + label + "-----([^-]*)-----END " + label + "-----");
    }

    /** The certificates of a file in their order, at least one. */
    static List<X509Certificate> certificates(PemFile file, byte[] content)
            throws TlsFileException {
        var found = new ArrayList<X509Certificate>();
        try {
            var factory = CertificateFactory.getInstance("X.509");
            for (var blocks = CERTIFICATE.matcher(text(content)); blocks.find(); ) {
                var der = Base64.getMimeDecoder().decode(blocks.group(1));
                found.add(
                        (X509Certificate)
                                factory.generateCertificate(new ByteArrayInputStream(der)));
            }
        } catch (CertificateException | IllegalArgumentException e) {
            throw file.problem("holds a certificate that cannot be read: write the file again");
        }
        if (found.isEmpty()) {
            throw file.problem("holds no -----BEGIN CERTIFICATE-----: it must be PEM");
        }
        return List.copyOf(found);
    }

    /** The private key of a file, which is the certificate's. */
    static PrivateKey privateKey(PemFile file, byte[] content, PublicKey certified)
            throws TlsFileException {
        var text = text(content);
        var block = KEY.matcher(text);
        if (!block.find()) {
            var other = OTHER_KEY.matcher(text);
            throw file.problem(
                    other.find()
                            ? "holds an %s PRIVATE KEY: write it as unencrypted PKCS#8"
                                            .formatted(other.group(1))
                                    + " (openssl pkcs8 -topk8 -nocrypt; in cert-manager"
                                    + " privateKey.encoding: PKCS8)"
                            : "holds no -----BEGIN PRIVATE KEY-----: it must be PEM, PKCS#8");
        }
        try {
            var der = Base64.getMimeDecoder().decode(block.group(1));
            var key =
                    KeyFactory.getInstance(certified.getAlgorithm())
                            .generatePrivate(new PKCS8EncodedKeySpec(der));
            if (belong(key, certified)) {
                return key;
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Said below, without what is in the file.
        }
        throw file.problem(
                "does not hold the certificate's %s key".formatted(certified.getAlgorithm()));
    }

    private static boolean belong(PrivateKey key, PublicKey certified)
            throws GeneralSecurityException {
        var algorithm =
                switch (certified.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> certified.getAlgorithm();
                };
        var probe = "perigee".getBytes(StandardCharsets.US_ASCII);
        var signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(probe);
        var signed = signature.sign();
        signature.initVerify(certified);
        signature.update(probe);
        return signature.verify(signed);
    }

    private static String text(byte[] content) {
        return new String(content, StandardCharsets.ISO_8859_1);
    }
}
