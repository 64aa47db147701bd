package dev.perigee.protocol.access;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The server of SCRAM-SHA-256 (RFC 5802, RFC 7677) in HTTP headers (RFC 7804). It keeps nothing of
 * a stranger: a challenge is its nonce, which has the time and a seal in it, and comes back in the
 * client's last message.
 *
 * <pre>
 *   nonce  = the client's, 12 random bytes, 8 bytes of time, 16 bytes of seal
 *   seal   = HMAC of all before it, by a key of this object alone
 * </pre>
 *
 * A challenge is good for {@link #VALID} and once: those that were met are remembered until then,
 * so that a recording is worth nothing. Any thread may call.
 */
public final class ScramServer {
    static final int ITERATIONS = 15_000;
    static final Duration VALID = Duration.ofSeconds(30);

    /** Challenges met within {@link #VALID}; more are refused until the oldest is over. */
    private static final int MOST_MET = 65_536;

    private static final int SALT_BYTES = 16;
    private static final int RANDOM_BYTES = 12;
    private static final int SEALED_BYTES = RANDOM_BYTES + Long.BYTES;
    private static final int SEAL_BYTES = 16;
    private static final int OWN_CHARS = (SEALED_BYTES + SEAL_BYTES) * 4 / 3;
    private static final Pattern FIRST =
            Pattern.compile("n,,n=" + ScramMessage.USER + ",r=([!-+\\--~]{16,64})");
    private static final Pattern LAST =
            Pattern.compile("(c=biws,r=([!-+\\--~]{16,64})([A-Za-z0-9+/]{48})),p=([^,]+)");

    private final SecureRandom random = new SecureRandom();
    private final byte[] sealKey = bytes(random, 32);
    private final String salt;
    private final ScramKeys keys;
    private final LongSupplier nanos;
    private final int mostMet;
    private final SequencedMap<String, Long> met = new LinkedHashMap<>();

    /** Verdict on a request. */
    public sealed interface Verdict {
        /** The client is to meet this challenge: an answer of 401 with it. */
        record Challenged(String wwwAuthenticate) implements Verdict {}

        /** It has shown nothing, or nothing right: an answer of 401 with this. */
        record Refused(String wwwAuthenticate) implements Verdict {}

        /** It has the password; an answer with this header shows that the server has it too. */
        record Accepted(String authenticationInfo) implements Verdict {}
    }

    public ScramServer(String password) {
        this(password, System::nanoTime, MOST_MET);
    }

    /**
     * @param nanos a clock that never goes back
     * @param mostMet challenges met within {@link #VALID}
     */
    ScramServer(String password, LongSupplier nanos, int mostMet) {
        var bytes = bytes(random, SALT_BYTES);
        this.salt = ScramMessage.base64(bytes);
        this.keys = ScramKeys.derive(password, bytes, ITERATIONS);
        this.nanos = nanos;
        this.mostMet = mostMet;
    }

    /** Judges a request by its header {@code Authorization}. */
    public Verdict judge(@Nullable String authorization) {
        var message = ScramMessage.ofHeader(authorization);
        if (message == null) {
            return refused();
        }
        var first = FIRST.matcher(message.text());
        if (first.matches()) {
            var nonce = first.group(1) + newNonce(first.group(1));
            return new Verdict.Challenged(new ScramMessage(challenge(nonce)).header());
        }
        var last = LAST.matcher(message.text());
        if (!last.matches()) {
            return refused();
        }
        var nonce = last.group(2) + last.group(3);
        var exchange =
                "n=%s,r=%s,%s,%s"
                        .formatted(
                                ScramMessage.USER, last.group(2), challenge(nonce), last.group(1));
        var proof = ScramMessage.bytes(last.group(4));
        if (!isCurrent(last.group(2), last.group(3))
                || proof == null
                || !keys.accepts(proof, exchange)
                || !isFirstTime(nonce)) {
            return refused();
        }
        var signature = ScramMessage.base64(keys.signature(exchange));
        return new Verdict.Accepted(new ScramMessage("v=" + signature).parameters());
    }

    private static Verdict refused() {
        return new Verdict.Refused(ScramMessage.SCHEME);
    }

    private String challenge(String nonce) {
        return "r=" + nonce + ",s=" + salt + ",i=" + ITERATIONS;
    }

    private String newNonce(String clients) {
        var own =
                ByteBuffer.allocate(SEALED_BYTES + SEAL_BYTES)
                        .put(bytes(random, RANDOM_BYTES))
                        .putLong(nanos.getAsLong());
        own.put(seal(clients, own.array()));
        return ScramMessage.base64(own.array());
    }

    /** Whether this object made the challenge, for this client's nonce, a short while ago. */
    private boolean isCurrent(String clients, String ownNonce) {
        var own = ScramMessage.bytes(ownNonce);
        if (own == null || ownNonce.length() != OWN_CHARS) {
            return false;
        }
        var shown = Arrays.copyOfRange(own, SEALED_BYTES, own.length);
        if (!MessageDigest.isEqual(seal(clients, own), shown)) {
            return false;
        }
        long age = nanos.getAsLong() - ByteBuffer.wrap(own).getLong(RANDOM_BYTES);
        return age >= 0 && age <= VALID.toNanos();
    }

    private byte[] seal(String clients, byte[] own) {
        var name = clients.getBytes(StandardCharsets.UTF_8);
        var sealed =
                ByteBuffer.allocate(SEALED_BYTES + name.length)
                        .put(own, 0, SEALED_BYTES)
                        .put(name)
                        .array();
        return Arrays.copyOf(ScramKeys.hmac(sealKey, sealed), SEAL_BYTES);
    }

    private synchronized boolean isFirstTime(String nonce) {
        long now = nanos.getAsLong();
        while (!met.isEmpty() && now - met.firstEntry().getValue() > VALID.toNanos()) {
            met.pollFirstEntry();
        }
        return met.size() < mostMet && met.putIfAbsent(nonce, now) == null;
    }

    private static byte[] bytes(SecureRandom random, int count) {
        var bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
