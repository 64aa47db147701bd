package dev.perigee.protocol.config;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Classifier of names of flags, variables, fields and parameters: whether their values are secrets.
 * Pure.
 */
public final class SecretNames {
    private static final Pattern CAMEL = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    private static final Pattern SECRET =
            Pattern.compile(
                    "token|secret|passw|passphrase|passcode|pwd|credential|auth(?!or(?!iz))|bearer"
                            + "|signature|cookie|private|api[-_.]?key|pass$|keys?$|session([-_.]?id)?$"
                            + "|(^|[-_.])headers?[.]"
                            + "|(^|[-_.])(pass|pw|pat|pin|sig|dsn|jwt|creds?|keys?)($|[-_.])");

    /** Such as --auth-type, --token-url, --key-file, --max-tokens and --no-auth. */
    private static final Pattern ABOUT_SECRETS =
            Pattern.compile(
                    "[-_.](type|mode|method|url|uri|endpoint|host|port|provider|file|path|dir|ttl"
                            + "|expiry|timeout|env|format|algorithm|enabled|limit|count|budget)$"
                            + "|^(no|disable|skip|without)[-_.]"
                            + "|(^|[-_.])(max|min|num)[-_.].*tokens?$");

    private static final Pattern HEADER = Pattern.compile("^h$|header(s)?$");
    private static final Set<String> USER = Set.of("u", "U", "user", "proxy-user", "proxy_user");
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
    private static final Set<String> HARMLESS_PARAMETERS =
            Set.of("transport", "version", "v", "lang", "locale", "format");
    private static final Set<String> HARMLESS_HEADERS =
            Set.of(
                    "accept",
                    "accept-language",
                    "content-type",
                    "user-agent",
                    "mcp-protocol-version");

    private SecretNames() {}

    /** Whether the value of this name is taken for a secret. */
    static boolean isSecret(String name) {
        var words = words(name);
        return SECRET.matcher(words).find() && !ABOUT_SECRETS.matcher(words).find();
    }

    /**
     * Whether a name mentions a secret, even if its value need not be one, such as token_url and
     * session_state. For what leaves the fleet: everything that {@link #isSecret} finds, and more.
     */
    public static boolean mentionsSecret(String name) {
        var words = words(name);
        return SECRET.matcher(words).find() || words.contains("session");
    }

    /** The name in small letters, with a dash where camel case begins a word. */
    public static String words(String name) {
        return CAMEL.matcher(name).replaceAll("-").toLowerCase(Locale.ROOT);
    }

    /** Whether the value of this flag is a header, or several: -H, --header, --proxy-headers. */
    static boolean isHeaderFlag(String name) {
        return HEADER.matcher(name.toLowerCase(Locale.ROOT)).find() && !name.equals("h");
    }

    /** Whether a flag that is given a header's name and its value as two arguments may be this. */
    static boolean isNameAndValueFlag(String name) {
        return name.equals("H") || name.equals("header") || name.equals("headers");
    }

    /** Whether the value of this flag may be a user's name and password: -u, --user. */
    static boolean isUserFlag(String name) {
        return USER.contains(name);
    }

    /** Whether a header of this name says nothing that is worth hiding. */
    public static boolean isHarmlessHeader(String name) {
        return HARMLESS_HEADERS.contains(name.toLowerCase(Locale.ROOT));
    }

    /** Whether an environment variable of this name says nothing that is worth hiding. */
    public static boolean isHarmlessVariable(String name) {
        return HARMLESS_VARIABLES.contains(name.toLowerCase(Locale.ROOT));
    }

    /** Whether a query parameter of this name says nothing that is worth hiding. */
    public static boolean isHarmlessParameter(String name) {
        return HARMLESS_PARAMETERS.contains(name.toLowerCase(Locale.ROOT));
    }
}
