package dev.perigee.console;

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
import org.jspecify.annotations.Nullable;

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
    private final LinkedHashMap<String, Session> byDigest = new LinkedHashMap<>();

    private record Session(Person person, Instant end) {}

    LoginSessions(InstantSource clock) {
        this.clock = clock;
    }

    /** Begins a session and gives what the browser is to hold. */
    String begin(Person person) {
        var bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        var secret = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        lock.lock();
        try {
            byDigest.put(digest(secret), new Session(person, clock.instant().plus(LIFETIME)));
            if (byDigest.size() > MAX) {
                byDigest.pollFirstEntry();
            }
        } finally {
            lock.unlock();
        }
        return secret;
    }

    /** Who logged in with the browser that holds this; null where its session does not run. */
    @Nullable Person person(String secret) {
        var digest = digest(secret);
        lock.lock();
        try {
            var session = byDigest.get(digest);
            if (session == null) {
                return null;
            }
            if (session.end().isAfter(clock.instant())) {
                return session.person();
            }
            byDigest.remove(digest);
            return null;
        } finally {
            lock.unlock();
        }
    }

    void end(String secret) {
        lock.lock();
        try {
            byDigest.remove(digest(secret));
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
