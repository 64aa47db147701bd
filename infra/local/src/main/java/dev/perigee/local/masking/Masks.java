package dev.perigee.local.masking;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Masks of secret values: equal values have equal masks and others do not, so that a configuration
 * that changed in production changes in staging too. Nothing can be learnt from a mask: it depends
 * on a random key that is kept in memory only. A resumed run has another key, and masks of its own.
 * Immutable, any thread.
 */
public final class Masks {
    public static final String PREFIX = "masked-";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int DIGITS = 12;
    private static final Pattern MASK = Pattern.compile(PREFIX + "[0-9a-f]{" + DIGITS + "}");

    private final SecretKeySpec key;

    public Masks(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    public static Masks random() {
        var key = new byte[32];
        new SecureRandom().nextBytes(key);
        return new Masks(key);
    }

    /** Whether a text is a mask. */
    public static boolean isMask(String text) {
        return MASK.matcher(text).matches();
    }

    /** A text with all masks alike, since each run has masks of its own. */
    public static String alike(String text) {
        return MASK.matcher(text).replaceAll("masked");
    }

    public String of(String value) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            var hash = mac.doFinal(value.getBytes(StandardCharsets.UTF_8));
            return PREFIX + HexFormat.of().formatHex(hash).substring(0, DIGITS);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
