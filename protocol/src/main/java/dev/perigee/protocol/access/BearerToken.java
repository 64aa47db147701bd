package dev.perigee.protocol.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * A token that others present. Digests of equal length are compared in constant time, so that
 * neither content nor length can be measured.
 */
public final class BearerToken {
    private static final String SCHEME = "Bearer ";

    private final byte @Nullable [] digest;

    /** Null lets everybody in. */
    public BearerToken(@Nullable String token) {
        this.digest = token == null ? null : digest(token);
    }

    /** Whether an {@code Authorization} header's value is right. */
    public boolean accepts(@Nullable String authorization) {
        if (digest == null) {
            return true;
        }
        if (authorization == null
                || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return false;
        }
        return MessageDigest.isEqual(
                digest, digest(authorization.substring(SCHEME.length()).strip()));
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
