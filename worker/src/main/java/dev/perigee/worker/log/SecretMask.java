package dev.perigee.worker.log;

import dev.perigee.protocol.config.ServerConfig;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Replaces the configured secrets of one installation, wherever they turn up in what Perigee
 * composes, by {@code ***}. Shorter values than {@link #MIN_LENGTH} are left: they would mask
 * ordinary words. Of a value of several lines each line is one. Of one that was cut off with the
 * end of its line, which then ends in an ellipsis, what is left is replaced. Immutable.
 */
public final class SecretMask {
    /** Length from which a configured value counts as a secret, in characters. */
    public static final int MIN_LENGTH = 6;

    private static final String MASK = "***";
    private static final char CUT = '…';
    private static final int MIN_CUT_LENGTH = 4;

    private final List<String> secrets;

    private SecretMask(List<String> secrets) {
        this.secrets = secrets;
    }

    /** Masks what {@link ConfiguredSecrets} says. References are names, and no secrets. */
    public static SecretMask of(ServerConfig config) {
        return of(List.of(config), List.of());
    }

    /**
     * The same of all of them.
     *
     * @param values further secrets, such as those that references stand for
     */
    public static SecretMask of(Collection<ServerConfig> configs, Collection<String> values) {
        return new SecretMask(
                Stream.concat(
                                configs.stream().flatMap(ConfiguredSecrets::of),
                                ConfiguredSecrets.ofValues(values))
                        .flatMap(value -> Stream.concat(Stream.of(value), value.lines()))
                        .map(String::strip)
                        .filter(value -> value.length() >= MIN_LENGTH)
                        .distinct()
                        .sorted(Comparator.comparingInt(String::length).reversed())
                        .toList());
    }

    /** The text without the secrets. */
    public String apply(String text) {
        for (var secret : secrets) {
            if (text.contains(secret)) {
                text = text.replace(secret, MASK);
            }
        }
        return !text.isEmpty() && text.charAt(text.length() - 1) == CUT ? cut(text) : text;
    }

    private String cut(String text) {
        int end = text.length() - 1;
        for (var secret : secrets) {
            int length = beginning(secret, text, end);
            if (length >= MIN_CUT_LENGTH) {
                return text.substring(0, end - length) + MASK + CUT;
            }
        }
        return text;
    }

    /**
     * Length of the longest beginning of the secret, but not of all of it, that the text has right
     * before this end. As Knuth, Morris and Pratt find it, in time for each character once: a user
     * chooses both.
     */
    private static int beginning(String secret, String text, int end) {
        int most = Math.min(secret.length() - 1, end);
        if (most < MIN_CUT_LENGTH) {
            return 0;
        }
        var borders = new int[most];
        for (int i = 1; i < most; i++) {
            borders[i] = next(secret, borders, borders[i - 1], secret.charAt(i));
        }
        int length = 0;
        for (int i = end - most; i < end; i++) {
            length = next(secret, borders, length, text.charAt(i));
        }
        return length;
    }

    private static int next(String secret, int[] borders, int length, char character) {
        int known = length;
        while (known > 0 && secret.charAt(known) != character) {
            known = borders[known - 1];
        }
        return secret.charAt(known) == character ? known + 1 : 0;
    }

    @Override
    public String toString() {
        return "SecretMask[" + secrets.size() + " values]";
    }
}
