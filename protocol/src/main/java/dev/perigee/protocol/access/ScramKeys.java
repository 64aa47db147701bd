package dev.perigee.protocol.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keys derived from a password with a salt and a number of iterations (RFC 5802, section 3): the
 * client proves itself by one key, the server by another. Immutable; deriving takes some
 * milliseconds.
 */
final class ScramKeys {
    private static final int KEY_BITS = 256;

    private final byte[] clientKey;
    private final byte[] storedKey;
    private final byte[] serverKey;

    private ScramKeys(byte[] salted) {
        this.clientKey = hmac(salted, "Client Key");
        this.storedKey = sha256(clientKey);
        this.serverKey = hmac(salted, "Server Key");
    }

    static ScramKeys derive(String password, byte[] salt, int iterations) {
        var specification = new PBEKeySpec(password.toCharArray(), salt, iterations, KEY_BITS);
        try {
            return new ScramKeys(
                    SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                            .generateSecret(specification)
                            .getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has PBKDF2 with SHA-256", e);
        } finally {
            specification.clearPassword();
        }
    }

    /** What shows that the client has the password, to this exchange alone. */
    byte[] proof(String exchange) {
        return xor(clientKey, hmac(storedKey, exchange));
    }

    /** Whether a proof is that of who has the password. */
    boolean accepts(byte[] proof, String exchange) {
        var signature = hmac(storedKey, exchange);
        return proof.length == signature.length
                && MessageDigest.isEqual(storedKey, sha256(xor(proof, signature)));
    }

    /** What shows that the server has the password, or what is derived from it. */
    byte[] signature(String exchange) {
        return hmac(serverKey, exchange);
    }

    static byte[] hmac(byte[] key, String text) {
        return hmac(key, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] hmac(byte[] key, byte[] content) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
        }
    }

    private static byte[] sha256(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static byte[] xor(byte[] one, byte[] other) {
        var result = new byte[one.length];
        for (int i = 0; i < one.length; i++) {
            result[i] = (byte) (one[i] ^ other[i]);
        }
        return result;
    }
}
