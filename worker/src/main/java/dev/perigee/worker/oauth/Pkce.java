package dev.perigee.worker.oauth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** Random values of an authorization request, and the S256 challenge of RFC 7636. */
final class Pkce {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;

    private Pkce() {}

    /** 43 characters that nobody guesses: a verifier, or a state. */
    static String random() {
        var bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return encoded(bytes);
    }

    /** SHA-256 of a text, which also stands for a code that was used. */
    static String challenge(String verifier) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return encoded(digest.digest(verifier.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
