package dev.perigee.worker.log;

import dev.perigee.protocol.config.ServerConfig;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Replaces the configured secrets of one installation, wherever they turn up in what Perigee
 * composes, by {@code ***}. Shorter values than {@link #MIN_LENGTH} are left: they would mask
 * ordinary words. Immutable.
 */
public final class SecretMask {
    /** Length from which a configured value counts as a secret, in characters. */
    public static final int MIN_LENGTH = 6;

    private static final String MASK = "***";

    private final List<String> secrets;

    private SecretMask(List<String> secrets) {
        this.secrets = secrets;
    }

    /** Masks the values of environment, headers and query parameters. */
    public static SecretMask of(ServerConfig config) {
        return new SecretMask(
                Stream.of(config.env(), config.headers(), config.urlQueryParams())
                        .flatMap(values -> values.values().stream())
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
        return text;
    }

    @Override
    public String toString() {
        return "SecretMask[" + secrets.size() + " values]";
    }
}
