package dev.perigee.local.recording;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The checksum that recordings and backups end with. */
public final class Sha256 {
    private Sha256() {}

    /** A new one, of nothing; for one thread. */
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
