package dev.perigee.local.replay;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Ids of copies. They depend on the run and the original's id only: two records of one command are
 * one command in the target too, a resumed run repeats its ids, and another run has its own, since
 * a target executes an id only once.
 */
record ReplayIds(String run) {
    private static final int DIGITS = 24;

    /** The copy's id. */
    String of(String originalId) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            var hash = digest.digest(originalId.getBytes(StandardCharsets.UTF_8));
            return "replay-" + run + "-" + HexFormat.of().formatHex(hash).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
