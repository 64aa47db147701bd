package dev.perigee.local.masking;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Where configurations keep values that may be secrets, and which names are harmless there. */
public enum Place {
    ENV("env"),
    HEADERS("headers"),
    QUERY("url_query_params"),
    /** Flags on a command line, by name without dashes: harmless unless they sound secret. */
    ARGS("args");

    private static final Set<String> HARMLESS_VARIABLES =
            Set.of(
                    "node_env",
                    "log_level",
                    "loglevel",
                    "debug",
                    "tz",
                    "lang",
                    "language",
                    "lc_all",
                    "no_color",
                    "force_color",
                    "home",
                    "path",
                    "port",
                    "npm_config_loglevel",
                    "pythonunbuffered",
                    "pythonioencoding");
    private static final Set<String> HARMLESS_HEADERS =
            Set.of(
                    "accept",
                    "accept-language",
                    "content-type",
                    "user-agent",
                    "mcp-protocol-version");
    private static final Set<String> HARMLESS_PARAMETERS =
            Set.of("transport", "version", "v", "lang", "locale", "format");

    private static final Pattern SOUNDS_SECRET =
            Pattern.compile(
                    "key$|token|secret|passw|passphrase|passcode|pwd|credential|auth(?!or(?!iz))|bearer"
                            + "|signature|cookie|session|private|(^|[-_.])(pat|pin|sig|dsn|jwt)($|[-_.])");

    private final String field;

    Place(String field) {
        this.field = field;
    }

    /** The field of the configuration. */
    public String field() {
        return field;
    }

    /** Whether a value of this name is taken for a secret, as nothing else is said of it. */
    public boolean isSecret(String name) {
        return switch (this) {
            case ENV -> !HARMLESS_VARIABLES.contains(lower(name));
            case HEADERS -> !HARMLESS_HEADERS.contains(lower(name));
            case QUERY -> !HARMLESS_PARAMETERS.contains(lower(name));
            case ARGS -> soundsSecret(name);
        };
    }

    /** Whether a name is one that people give to secrets. */
    public static boolean soundsSecret(String name) {
        return SOUNDS_SECRET.matcher(lower(name)).find();
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
