package dev.perigee.local.masking;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Secrets that are replaced wherever they stand, also URL-encoded, as JSON in a text, each up to
 * {@link #LEVELS} times, and in base 64. A text takes time in proportion to its length, however
 * many secrets there are. Holds at most {@link #MOST_CHARACTERS} of secrets and their forms. For
 * one thread.
 */
public final class SecretIndex {
    /** Shorter values are replaced only where they were found. */
    static final int SHORTEST = 4;

    static final long MOST_CHARACTERS = 64L << 20;

    /** How often a text is decoded. */
    static final int LEVELS = 3;

    /** Shorter ones are not looked for in base 64. */
    static final int SHORTEST_IN_BASE64 = 6;

    private static final int FILTER_BITS = 1 << 22;

    /** Values that say nothing, and stand everywhere. */
    private static final Set<String> WORDS =
            Set.of(
                    "true",
                    "false",
                    "null",
                    "none",
                    "undefined",
                    "default",
                    "test",
                    "local",
                    "info");

    /** One way in which a secret is written. */
    private record Form(String text, String secret) {}

    private final Set<String> secrets = new HashSet<>();
    private final Set<String> identities = new HashSet<>();
    private final Map<Long, List<Form>> byBeginning = new HashMap<>();
    private final BitSet filter = new BitSet(FILTER_BITS);
    private long characters;

    /** More secrets than fit. */
    public static final class TooManySecretsException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooManySecretsException() {
            super("more than " + (MOST_CHARACTERS >> 20) + " million characters of secrets");
        }
    }

    /**
     * Notes a secret.
     *
     * @param isCertain whether its name says so; others are replaced elsewhere only if they are no
     *     words that stand there by chance
     * @throws TooManySecretsException when there are more than fit
     */
    public void add(String secret, boolean isCertain) {
        boolean everywhere =
                secret.length() >= SHORTEST
                        && !Masks.isMask(secret)
                        && !WORDS.contains(secret.toLowerCase(Locale.ROOT))
                        && (isCertain || isDistinctive(secret));
        if (everywhere && secrets.add(secret)) {
            forms(secret).forEach(form -> characters += form.length());
            if (characters > MOST_CHARACTERS) {
                throw new TooManySecretsException();
            }
        }
    }

    /** Notes a team, user, installation or slug: what has its name is no secret. */
    public void identity(String id) {
        identities.add(id);
    }

    private static boolean isDistinctive(String value) {
        boolean mixed =
                value.chars().anyMatch(Character::isDigit)
                        && value.chars().anyMatch(Character::isLetter);
        boolean isOneWord = value.chars().noneMatch(Character::isWhitespace);
        return (value.length() >= 8 && mixed) || (value.length() >= 16 && isOneWord);
    }

    /** Makes what was noted searchable. Called once, when all is noted. */
    public void freeze() {
        secrets.removeAll(identities);
        for (var secret : secrets) {
            for (var form : forms(secret)) {
                long beginning = beginning(form, 0);
                byBeginning
                        .computeIfAbsent(beginning, _ -> new ArrayList<>(1))
                        .add(new Form(form, secret));
                filter.set(bit(beginning));
            }
        }
        // The longest first: of two that begin alike the longer one must not leave a rest.
        byBeginning
                .values()
                .forEach(
                        forms ->
                                forms.sort(
                                        Comparator.<Form>comparingInt(form -> form.text().length())
                                                .reversed()));
    }

    /** Whether a text as a whole is a secret that is replaced wherever it stands. */
    boolean has(String text) {
        return secrets.contains(text);
    }

    private static Set<String> forms(String secret) {
        var forms = new HashSet<String>();
        for (var written : List.of(secret, secret.replace('+', ' '))) {
            var decoded = DecodedText.of(written).decoded();
            if (decoded != null || written.equals(secret)) {
                form(decoded == null ? written : decoded.text(), forms);
            }
        }
        form(secret, forms);
        forms.removeIf(form -> form.length() < SHORTEST);
        return forms;
    }

    private static void form(String meant, Set<String> forms) {
        forms.add(meant);
        // Of a blank in a query; what is encoded is decoded before it is looked for.
        forms.add(meant.replace(' ', '+'));
        base64(meant.getBytes(StandardCharsets.UTF_8), forms);
    }

    /** Also where other bytes stand before and behind it: the digits that it alone decides. */
    private static void base64(byte[] secret, Set<String> forms) {
        if (secret.length < SHORTEST_IN_BASE64) {
            return;
        }
        for (var encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder())) {
            forms.add(encoder.withoutPadding().encodeToString(secret));
            for (int before = 0; before < 3; before++) {
                var bytes = new byte[before + secret.length];
                System.arraycopy(secret, 0, bytes, before, secret.length);
                var digits = encoder.withoutPadding().encodeToString(bytes);
                int from = (before * 8 + 5) / 6;
                forms.add(digits.substring(from, bytes.length * 8 / 6));
            }
        }
    }

    /** The text with every secret replaced; the same object where there is none. */
    public String replace(String text, UnaryOperator<String> mask) {
        var replaced = text;
        // What is decoded most comes first, so that no half of an escape is left.
        for (int level = LEVELS; level >= 0; level--) {
            var decoded = DecodedText.of(replaced);
            for (int i = 0; i < level && decoded != null; i++) {
                decoded = decoded.decoded();
            }
            replaced = decoded == null ? replaced : replace(replaced, decoded, mask);
        }
        return replaced;
    }

    private String replace(String written, DecodedText decoded, UnaryOperator<String> mask) {
        var text = decoded.text();
        StringBuilder edited = null;
        int copied = 0;
        int at = 0;
        while (at + SHORTEST <= text.length()) {
            var found = formAt(text, at);
            if (found == null) {
                at++;
            } else {
                edited = edited == null ? new StringBuilder(written.length()) : edited;
                edited.append(written, copied, decoded.starts()[at]);
                edited.append(mask.apply(found.secret()));
                at += found.text().length();
                copied = decoded.starts()[at];
            }
        }
        return edited == null ? written : edited.append(written.substring(copied)).toString();
    }

    private @Nullable Form formAt(String text, int at) {
        long beginning = beginning(text, at);
        if (filter.get(bit(beginning))) {
            for (var form : byBeginning.getOrDefault(beginning, List.of())) {
                if (text.startsWith(form.text(), at)) {
                    return form;
                }
            }
        }
        return null;
    }

    private static long beginning(String text, int at) {
        return (long) text.charAt(at) << 48
                | (long) text.charAt(at + 1) << 32
                | (long) text.charAt(at + 2) << 16
                | text.charAt(at + 3);
    }

    private static int bit(long beginning) {
        return (int) ((beginning * 0x9E3779B97F4A7C15L) >>> 42);
    }

    /** How many are replaced wherever they stand. */
    public int size() {
        return secrets.size();
    }
}
