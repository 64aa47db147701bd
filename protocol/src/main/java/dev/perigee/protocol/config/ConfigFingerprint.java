package dev.perigee.protocol.config;

import dev.perigee.protocol.json.Json;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Fingerprint by which configurations are compared without showing them: SHA-256 over the encoded
 * configuration, whose fields have one order and whose maps are sorted. Equal configurations have
 * equal fingerprints whatever order a backend wrote them in.
 */
public final class ConfigFingerprint {
    private ConfigFingerprint() {}

    /** 64 hexadecimal digits. */
    public static String of(ServerConfig config) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(Json.write(config)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
