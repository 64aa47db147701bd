package dev.perigee.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Logins that browsers have begun with a provider. A browser holds a ticket, from which this
 * gateway alone makes what the provider is told and has to repeat: so nothing is kept of logins
 * that were only begun, however many are. A ticket is good once, and for some minutes. Any thread.
 */
final class LoginTickets {
    /** How long somebody may take at the provider. */
    static final Duration LIFETIME = Duration.ofMinutes(10);

    private static final int RANDOM_BYTES = 32;
    private static final int MOST_USED = 10_000;
    private static final Pattern FORM =
            Pattern.compile("([A-Za-z0-9_-]{43}\\.(\\d{1,12}))\\.(\\S{43})");

    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private final SecretKeySpec key;
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<String, Instant> used = new LinkedHashMap<>();

    LoginTickets(InstantSource clock) {
        this.clock = clock;
        this.key = new SecretKeySpec(randomBytes(), "HmacSHA256");
    }

    /**
     * What belongs to one login.
     *
     * @param state comes back with the browser
     * @param nonce comes back in the provider's token
     * @param verifier whose digest the provider gets first, and itself with the code
     */
    record Attempt(String state, String nonce, String verifier) {
        boolean hasState(@Nullable String shown) {
            return shown != null
                    && MessageDigest.isEqual(shown.getBytes(UTF_8), state.getBytes(UTF_8));
        }

        /** As PKCE has it, S256. */
        String challenge() {
            try {
                var digest = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(UTF_8));
                return text(digest);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every JDK has SHA-256", e);
            }
        }

        @Override
        public String toString() {
            return "(secret)";
        }
    }

    /** A new ticket. */
    String begin() {
        var body = text(randomBytes()) + "." + clock.instant().getEpochSecond();
        return body + "." + derived("ticket", body);
    }

    /** What belongs to a ticket; null where it is none of this gateway's, or too old. */
    @Nullable Attempt attempt(String ticket) {
        var form = FORM.matcher(ticket);
        if (!form.matches()
                || !MessageDigest.isEqual(
                        form.group(3).getBytes(UTF_8),
                        derived("ticket", form.group(1)).getBytes(UTF_8))) {
            return null;
        }
        var begun = Instant.ofEpochSecond(Long.parseLong(form.group(2)));
        return begun.plus(LIFETIME).isAfter(clock.instant())
                ? new Attempt(
                        derived("state", ticket),
                        derived("nonce", ticket),
                        derived("verifier", ticket))
                : null;
    }

    /** Whether a ticket was taken. */
    boolean isTaken(String ticket) {
        lock.lock();
        try {
            return used.containsKey(ticket);
        } finally {
            lock.unlock();
        }
    }

    /** Takes a ticket, once: false where it was taken before. */
    boolean take(String ticket) {
        var now = clock.instant();
        lock.lock();
        try {
            used.values().removeIf(at -> !at.plus(LIFETIME).isAfter(now));
            if (used.putIfAbsent(ticket, now) != null) {
                return false;
            }
            if (used.size() > MOST_USED) {
                used.pollFirstEntry();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private String derived(String purpose, String text) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return text(mac.doFinal((purpose + ":" + text).getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    private byte[] randomBytes() {
        var bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
