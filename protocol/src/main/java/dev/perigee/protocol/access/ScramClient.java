package dev.perigee.protocol.access;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The client of SCRAM-SHA-256 (RFC 5802, RFC 7677) in HTTP headers (RFC 7804): it proves that it
 * has the password and has the server prove the same, and neither sends it. Any thread may call;
 * each {@link Login} has one caller.
 */
public final class ScramClient {
    /** The header of the second answer, by which the server proves itself (RFC 7615). */
    public static final String PROOF_HEADER = "Authentication-Info";

    static final int FEWEST_ITERATIONS = 4096;
    static final int MOST_ITERATIONS = 100_000;
    private static final int NONCE_BYTES = 18;
    private static final int LONGEST_SALT_BYTES = 64;

    /** Servers whose keys are remembered, so that logging in again costs next to nothing. */
    private static final int REMEMBERED = 256;

    private final SecureRandom random = new SecureRandom();
    private final String password;
    private final Map<Derivation, ScramKeys> keys = new LinkedHashMap<>(16, 0.75f, true);

    /** Inputs of the key derivation, without the password. */
    private record Derivation(String salt, int iterations) {}

    public ScramClient(String password) {
        this.password = password;
    }

    /** Begins to log in. */
    public Login login() {
        var nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        return new Login(ScramMessage.USER, ScramMessage.base64(nonce));
    }

    Login login(String user, String nonce) {
        return new Login(user, nonce);
    }

    private @Nullable ScramKeys remembered(Derivation derivation) {
        synchronized (keys) {
            return keys.get(derivation);
        }
    }

    /** Only what a server proved is remembered, so that no impostor fills the memory. */
    private void remember(Derivation derivation, ScramKeys derived) {
        synchronized (keys) {
            keys.put(derivation, derived);
            if (keys.size() > REMEMBERED) {
                keys.remove(keys.keySet().iterator().next());
            }
        }
    }

    /** One exchange, from the first message to the server's proof. */
    public final class Login {
        private final String nonce;
        private final String firstBare;
        private @Nullable Met met;

        /** The challenge that was met: what it is signed with, and what the server must sign. */
        private record Met(Derivation derivation, ScramKeys keys, String exchange) {}

        private Login(String user, String nonce) {
            this.nonce = nonce;
            this.firstBare = "n=" + user + ",r=" + nonce;
        }

        /** The first request's {@code Authorization}. */
        public String first() {
            return new ScramMessage(ScramMessage.NO_BINDING + firstBare).header();
        }

        /**
         * The second request's {@code Authorization}, which meets the server's challenge. Derives
         * keys when the server is new, which takes some milliseconds.
         *
         * @param challenges the values of {@code WWW-Authenticate}
         * @throws ScramException when none is a challenge that can be met
         */
        public String last(List<String> challenges) throws ScramException {
            var challenge =
                    challenges.stream()
                            .map(ScramMessage::ofHeader)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElseThrow(() -> new ScramException("it asks for no proof of ours"));
            var both = challenge.attribute('r');
            if (both == null || !both.startsWith(nonce) || both.length() == nonce.length()) {
                throw new ScramException("its challenge answers another request");
            }
            var derivation = derivation(challenge);
            var derived = remembered(derivation);
            if (derived == null) {
                var salt = Objects.requireNonNull(ScramMessage.bytes(derivation.salt()));
                derived = ScramKeys.derive(password, salt, derivation.iterations());
            }
            var withoutProof = "c=" + ScramMessage.NO_BINDING_REPEATED + ",r=" + both;
            var exchange = firstBare + "," + challenge.text() + "," + withoutProof;
            met = new Met(derivation, derived, exchange);
            var proof = ScramMessage.base64(derived.proof(exchange));
            return new ScramMessage(withoutProof + ",p=" + proof).header();
        }

        /**
         * Whether the server has proved that it has the password.
         *
         * @param authenticationInfo the {@link #PROOF_HEADER} of the second answer, null for none
         */
        public boolean proves(@Nullable String authenticationInfo) {
            var message = ScramMessage.ofParameters(authenticationInfo);
            var shown = message == null ? null : message.attributeBytes('v');
            if (met == null || shown == null) {
                return false;
            }
            if (!MessageDigest.isEqual(met.keys().signature(met.exchange()), shown)) {
                return false;
            }
            remember(met.derivation(), met.keys());
            return true;
        }

        private static Derivation derivation(ScramMessage challenge) throws ScramException {
            var salt = challenge.attributeBytes('s');
            if (salt == null || salt.length == 0 || salt.length > LONGEST_SALT_BYTES) {
                throw new ScramException("its challenge has no usable salt");
            }
            return new Derivation(ScramMessage.base64(salt), iterations(challenge));
        }

        private static int iterations(ScramMessage challenge) throws ScramException {
            var text = challenge.attribute('i');
            if (text != null && text.matches("[1-9][0-9]{0,8}")) {
                int iterations = Integer.parseInt(text);
                if (iterations >= FEWEST_ITERATIONS && iterations <= MOST_ITERATIONS) {
                    return iterations;
                }
            }
            throw new ScramException(
                    "its challenge asks for iterations that are not from "
                            + FEWEST_ITERATIONS
                            + " to "
                            + MOST_ITERATIONS);
        }
    }
}
