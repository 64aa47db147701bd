package dev.perigee.worker.oauth;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of the {@code Bearer} challenge of a {@code WWW-Authenticate} header that the flow
 * acts on (RFC 6750 section 3, RFC 9728 section 5.1). Read leniently; what is not understood is
 * absent. Pure.
 *
 * @param error its code, null for none
 * @param scopes those that the request needs, 64 at most
 * @param resourceMetadata where the server describes itself, null for none
 */
public record BearerChallenge(
        @Nullable String error, List<String> scopes, @Nullable String resourceMetadata) {
    /** A challenge that says nothing. */
    public static final BearerChallenge NONE = new BearerChallenge(null, List.of(), null);

    private static final String INSUFFICIENT_SCOPE = "insufficient_scope";
    private static final int MOST_SCOPES = 64;
    private static final int MOST_CHARACTERS = 8 * 1024;
    private static final Pattern SCHEME =
            Pattern.compile("(?:^|,)\\s*+bearer(?:\\s++|$)", Pattern.CASE_INSENSITIVE);
    private static final Pattern PARAMETER =
            Pattern.compile(
                    "\\G\\s*+,?\\s*+([A-Za-z_]++)\\s*+=\\s*+"
                            + "(?:\"((?:[^\"\\\\]|\\\\.)*+)\"|([^\\s,\"]++))");
    private static final Pattern SCOPE = Pattern.compile("[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,200}");

    public BearerChallenge {
        scopes = List.copyOf(scopes);
    }

    /** Of a header's value, several of them joined by commas; null where there is none. */
    public static BearerChallenge of(@Nullable String header) {
        if (header == null || header.length() > MOST_CHARACTERS) {
            return NONE;
        }
        var scheme = SCHEME.matcher(header);
        if (!scheme.find()) {
            return NONE;
        }
        String error = null;
        String metadata = null;
        var scopes = List.<String>of();
        var parameters = PARAMETER.matcher(header).region(scheme.end(), header.length());
        while (parameters.find()) {
            var quoted = parameters.group(2);
            var value = quoted == null ? parameters.group(3) : quoted.replaceAll("\\\\(.)", "$1");
            switch (parameters.group(1).toLowerCase(Locale.ROOT)) {
                case "error" -> error = value;
                case "scope" -> scopes = scopes(value);
                case "resource_metadata" -> metadata = value;
                default -> {}
            }
        }
        return new BearerChallenge(error, scopes, metadata);
    }

    /** Whether the token is good but not for this request. */
    public boolean wantsMoreScopes() {
        return INSUFFICIENT_SCOPE.equals(error);
    }

    /** Scopes of a list with blanks between, without what is none. */
    static List<String> scopes(String text) {
        return scopes(Stream.of(text.split(" ", -1)));
    }

    static List<String> scopes(Stream<String> names) {
        return names.filter(name -> SCOPE.matcher(name).matches())
                .distinct()
                .limit(MOST_SCOPES)
                .toList();
    }

    /** All of both. */
    public static List<String> union(List<String> some, List<String> others) {
        return scopes(Stream.concat(some.stream(), others.stream()));
    }
}
