package dev.perigee.local.masking;

import dev.perigee.protocol.json.Json;
import java.net.URLEncoder;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Secrets that are replaced wherever they stand, also URL-encoded, as JSON in a text, and in base
 * 64. A text takes time in proportion to its length, however many secrets there are. Holds at most
 * {@link #MOST_CHARACTERS} of secrets and their forms. For one thread.
 */
public final class SecretIndex {
    /** Shorter values are replaced only where they were found. */
    static final int SHORTEST = 4;

    static final long MOST_CHARACTERS = 64L << 20;

    private static final int FILTER_BITS = 1 << 22;
    private static final Pattern MASK = Pattern.compile(Masks.PREFIX + "[0-9a-f]{12}");

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

    private final Set<String> secrets = new HashSet<>();
    private final Set<String> identities = new HashSet<>();
    private final Map<Long, List<String>> byBeginning = new HashMap<>();
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
                        && !isMask(secret)
                        && !WORDS.contains(secret.toLowerCase(Locale.ROOT))
                        && (isCertain || isDistinctive(secret));
        if (everywhere && secrets.add(secret)) {
            characters += secret.length();
            if (characters > MOST_CHARACTERS) {
                throw new TooManySecretsException();
            }
        }
    }

    /** Notes a team, user, installation or slug: what has its name is no secret. */
    public void identity(String id) {
        identities.add(id);
    }

    /** Whether a text is a mask already. */
    public static boolean isMask(String text) {
        return MASK.matcher(text).matches();
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
                byBeginning.computeIfAbsent(beginning(form, 0), _ -> new ArrayList<>(1)).add(form);
                filter.set(bit(beginning(form, 0)));
            }
        }
        // The longest first: of two that begin alike the longer one must not leave a rest.
        byBeginning
                .values()
                .forEach(forms -> forms.sort(Comparator.comparingInt(String::length).reversed()));
    }

    /** Whether a text as a whole is a secret that is replaced wherever it stands. */
    boolean has(String text) {
        return secrets.contains(text);
    }

    private static Set<String> forms(String secret) {
        var utf8 = secret.getBytes(StandardCharsets.UTF_8);
        var escaped = new String(Json.write(secret), StandardCharsets.UTF_8);
        var inside = escaped.substring(1, escaped.length() - 1);
        var url = URLEncoder.encode(secret, StandardCharsets.UTF_8);
        var forms =
                new HashSet<>(
                        List.of(
                                secret,
                                url,
                                url.replace("+", "%20"),
                                inside,
                                inside.replace("\\", "\\\\").replace("\"", "\\\"")));
        if (utf8.length >= 8) {
            forms.add(Base64.getEncoder().withoutPadding().encodeToString(utf8));
            forms.add(Base64.getUrlEncoder().withoutPadding().encodeToString(utf8));
        }
        return forms;
    }

    /** The text with every secret replaced; the same object where there is none. */
    public String replace(String text, UnaryOperator<String> mask) {
        StringBuilder edited = null;
        int copied = 0;
        int at = 0;
        while (at + SHORTEST <= text.length()) {
            var found = secretAt(text, at);
            if (found == null) {
                at++;
            } else {
                edited = edited == null ? new StringBuilder(text.length()) : edited;
                edited.append(text, copied, at).append(mask.apply(found));
                at += found.length();
                copied = at;
            }
        }
        return edited == null ? text : edited.append(text, copied, text.length()).toString();
    }

    private @Nullable String secretAt(String text, int at) {
        long beginning = beginning(text, at);
        if (filter.get(bit(beginning))) {
            for (var secret : byBeginning.getOrDefault(beginning, List.of())) {
                if (text.startsWith(secret, at)) {
                    return secret;
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
