package dev.perigee.worker.instance;

import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.oauth.BearerChallenge;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Access token that an instance's requests carry, and where they wait for another one. A token goes
 * to the address that it was got for and to no other, whatever the configuration is by then. Safe
 * for use by any thread; only {@link #await} blocks.
 */
final class AccessTokens {
    private final Listener listener;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean active;
    private @Nullable Held held;
    private @Nullable String refused;
    private boolean expected;
    private BearerChallenge challenge = BearerChallenge.NONE;
    private CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();

    /** Called on any thread; must not block. */
    interface Listener {
        /** A request waits for a token that the server takes. */
        void tokenWanted();

        /** A call needs scopes that its token does not have. */
        void scopesWanted(List<String> scopes);
    }

    private record Held(String value, String url, @Nullable Instant expiresAt) {
        @Override
        public String toString() {
            return "Held[expiresAt=" + expiresAt + "]";
        }
    }

    AccessTokens(Listener listener, InstantSource clock) {
        this.listener = listener;
        this.clock = clock;
    }

    /** Whether the instance has OAuth. */
    boolean isActive() {
        return active;
    }

    /** Requests carry none from now on, and wait for none. */
    void none() {
        lock.lock();
        try {
            active = false;
            held = null;
            challenge = BearerChallenge.NONE;
        } finally {
            lock.unlock();
        }
        settle();
    }

    /** The instance has OAuth, and this token for this address; null for none yet. */
    void hold(@Nullable String token, String url, @Nullable Instant expiresAt) {
        lock.lock();
        try {
            active = true;
            held = token == null ? null : new Held(token, url, expiresAt);
            refused = null;
        } finally {
            lock.unlock();
        }
    }

    /** The first one is about to come: requests without one wait for it. */
    void expect() {
        lock.lock();
        try {
            expected = true;
        } finally {
            lock.unlock();
        }
    }

    /** What a request to this address carries, null for nothing. */
    @Nullable String at(String url) {
        lock.lock();
        try {
            return active && held != null && held.url().equals(url) ? held.value() : null;
        } finally {
            lock.unlock();
        }
    }

    /** Whether there is one that was not refused and has not expired. */
    boolean isUsable() {
        lock.lock();
        try {
            return held != null && !held.value().equals(refused) && !isExpired(held);
        } finally {
            lock.unlock();
        }
    }

    /** Whether the server refused the one there is. */
    boolean isRefused() {
        lock.lock();
        try {
            return held != null && held.value().equals(refused);
        } finally {
            lock.unlock();
        }
    }

    /** Whether the time of the one there is is over. */
    boolean isExpired() {
        lock.lock();
        try {
            return held != null && isExpired(held);
        } finally {
            lock.unlock();
        }
    }

    private boolean isExpired(Held token) {
        var end = token.expiresAt();
        return end != null && !clock.instant().isBefore(end);
    }

    /** A server refused this token, null for none; another is looked for at once. */
    void refused(@Nullable String token, BearerChallenge by) {
        lock.lock();
        try {
            challenge = by;
            if (held == null || !held.value().equals(token)) {
                return;
            }
            refused = token;
        } finally {
            lock.unlock();
        }
        listener.tokenWanted();
    }

    /** A server wants more than the token allows. */
    void challenged(BearerChallenge by) {
        lock.lock();
        try {
            challenge = by;
        } finally {
            lock.unlock();
        }
    }

    /** By what a request was refused last. */
    BearerChallenge challenge() {
        lock.lock();
        try {
            return challenge;
        } finally {
            lock.unlock();
        }
    }

    /** A call lacks these. */
    void lacks(List<String> scopes) {
        listener.scopesWanted(scopes);
    }

    /**
     * Waits for a token that may be taken, or for the decision that there is none.
     *
     * @throws McpException when nobody decided until the deadline, or the authorization server
     *     cannot be asked
     */
    void await(long deadlineNanos) throws McpException, InterruptedException {
        CompletableFuture<@Nullable Void> decision;
        lock.lock();
        try {
            boolean none = held == null && !expected;
            if (!active || none || isUsable()) {
                return; // Without any the server says what it wants.
            }
            decision = settled;
        } finally {
            lock.unlock();
        }
        listener.tokenWanted();
        try {
            var _ =
                    decision.get(
                            Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw McpException.withoutToken();
        }
    }

    /** Those who wait go on with what there is. */
    void settle() {
        renewed().complete(null);
    }

    /** Those who wait fail: it cannot be decided. */
    void giveUp() {
        renewed().completeExceptionally(new IllegalStateException("not answered"));
    }

    private CompletableFuture<@Nullable Void> renewed() {
        lock.lock();
        try {
            var before = settled;
            settled = new CompletableFuture<>();
            expected = false;
            return before;
        } finally {
            lock.unlock();
        }
    }
}
