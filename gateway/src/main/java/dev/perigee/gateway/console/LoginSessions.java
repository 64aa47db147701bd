package dev.perigee.gateway.console;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The browsers that have shown the token. A browser holds a random number, this holds its digest;
 * both are void after a while, when others need the place, and when the gateway ends. Any thread.
 */
final class LoginSessions {
    /** How long a browser need not show the token again. */
    static final Duration LIFETIME = Duration.ofHours(8);

    private static final int MAX = 200;
    private static final int RANDOM_BYTES = 32;

    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<String, Instant> endByDigest = new LinkedHashMap<>();

    LoginSessions(InstantSource clock) {
        this.clock = clock;
    }

    /** Begins a session and gives what the browser is to hold. */
    String begin() {
        var bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        var secret = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        lock.lock();
        try {
            endByDigest.put(digest(secret), clock.instant().plus(LIFETIME));
            if (endByDigest.size() > MAX) {
                endByDigest.pollFirstEntry();
            }
        } finally {
            lock.unlock();
        }
        return secret;
    }

    /** Whether this is held by a browser whose session runs. */
    boolean runs(String secret) {
        var digest = digest(secret);
        lock.lock();
        try {
            var end = endByDigest.get(digest);
            if (end == null) {
                return false;
            }
            if (end.isAfter(clock.instant())) {
                return true;
            }
            endByDigest.remove(digest);
            return false;
        } finally {
            lock.unlock();
        }
    }

    void end(String secret) {
        lock.lock();
        try {
            endByDigest.remove(digest(secret));
        } finally {
            lock.unlock();
        }
    }

    private static String digest(String secret) {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            return Base64.getEncoder()
                    .encodeToString(sha.digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
