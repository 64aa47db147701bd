package dev.perigee.local.masking;

import dev.perigee.protocol.config.SecretNames;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Fields of configurations that hold values which may be secrets, with the names that are harmless
 * there.
 */
public enum SecretField {
    ENV("env"),
    HEADERS("headers"),
    QUERY("url_query_params"),
    /** Flags on a command line, by name without dashes: harmless unless they sound secret. */
    ARGS("args");

    /** Names of fields by which people look things up, and of the list of secrets' names. */
    private static final Set<String> HARMLESS_FIELDS = Set.of("key", "keys", "secret_metadata");

    /** Numbers of fewer digits are no secrets. */
    public static final int SHORTEST_NUMBER = 4;

    /** Words in the names of numbers that have to do with secrets and are none. */
    private static final Pattern AMOUNT =
            Pattern.compile(
                    "(^|[-_.])(tokens|counts?|total|max|min|limit|ttl|size|ms|seconds|at"
                            + "|expir(y|es|ed|ation))($|[-_.])");

    private final String field;

    SecretField(String field) {
        this.field = field;
    }

    /** The field of the configuration. */
    public String field() {
        return field;
    }

    /** Whether a value of this name is taken for a secret, as nothing else is said of it. */
    public boolean isSecret(String name) {
        return switch (this) {
            case ENV -> !SecretNames.isHarmlessVariable(name);
            case HEADERS -> !SecretNames.isHarmlessHeader(name);
            case QUERY -> !SecretNames.isHarmlessParameter(name);
            case ARGS -> soundsSecret(name);
        };
    }

    /** Whether a name is one that people give to secrets. */
    public static boolean soundsSecret(String name) {
        return SecretNames.mentionsSecret(name);
    }

    /** Whether a field of this name in any JSON is taken for a secret. */
    public static boolean isSecretField(String name) {
        return soundsSecret(name) && !HARMLESS_FIELDS.contains(name);
    }

    /** Whether a number of this name is an amount, even if the name mentions a secret. */
    public static boolean isAmount(String name) {
        return AMOUNT.matcher(SecretNames.words(name)).find();
    }
}
