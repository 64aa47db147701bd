package dev.perigee.protocol.config;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * OAuth of an installation over HTTP. With tokens, the fleet keeps them fresh; without, it has the
 * user authorize by the authorization code flow, and the configuration comes again with what the
 * redirect brought. {@link #toString()} has no secret.
 *
 * @param accessToken a token that the backend got; null where the fleet is to get the first
 * @param refreshToken what the next one is got with; needs {@code client_id}, and {@code
 *     token_endpoint} or {@code issuer}, so that it is never sent where the server says
 * @param expiresAt when the access token expires; null where that is not known, and it is refreshed
 *     once the server refuses it
 * @param tokenEndpoint https address that tokens are got at; null to discover it
 * @param issuer https identifier of the authorization server; what is discovered must have it
 * @param clientId who the fleet is there; null for the worker's {@code oauth.client-metadata-url}
 * @param clientSecret its secret, sent by HTTP Basic; null for a public client. Needs what a
 *     refresh token needs
 * @param resource identifier of the server at the authorization server; null for what its metadata
 *     says, or its URL
 * @param scopes to ask for, 64 at most; null or empty for those that the server names
 * @param code what the user's redirect brought after an authorization that the fleet asked for
 * @param state as the redirect brought it; required with the code
 * @param iss as the redirect brought it; null where it had none
 */
public record OAuthConfig(
        @Nullable String accessToken,
        @Nullable String refreshToken,
        @Nullable Instant expiresAt,
        @Nullable String tokenEndpoint,
        @Nullable String issuer,
        @Nullable String clientId,
        @Nullable String clientSecret,
        @Nullable String resource,
        @Nullable List<String> scopes,
        @Nullable String code,
        @Nullable String state,
        @Nullable String iss) {
    /** Most scopes. */
    public static final int MOST_SCOPES = 64;

    private static final int MOST_CHARACTERS = 16 * 1024;
    private static final String FIELD = "config.oauth.";

    public OAuthConfig {
        if (scopes != null) {
            scopes.forEach(OAuthConfig::requireScope);
            scopes = List.copyOf(scopes);
            if (scopes.size() > MOST_SCOPES) {
                throw invalid("scopes", "must have at most " + MOST_SCOPES + " entries");
            }
        }
        requireToken(accessToken, "access_token");
        requireToken(refreshToken, "refresh_token");
        requireToken(clientSecret, "client_secret");
        requireToken(clientId, "client_id");
        requireToken(code, "code");
        requireToken(state, "state");
        requireToken(iss, "iss");
        requireToken(resource, "resource");
        requireToken(tokenEndpoint, "token_endpoint");
        requireToken(issuer, "issuer");
        boolean bound = clientId != null && (tokenEndpoint != null || issuer != null);
        if (!bound && (refreshToken != null || clientSecret != null)) {
            throw invalid(
                    refreshToken != null ? "refresh_token" : "client_secret",
                    "needs client_id, and token_endpoint or issuer");
        }
        if (refreshToken != null && accessToken == null) {
            throw invalid("access_token", "is missing beside refresh_token");
        }
        if (code != null && state == null) {
            throw invalid("state", "is missing beside code");
        }
    }

    private static void requireScope(String scope) {
        Require.present(scope, FIELD + "scopes[]");
        boolean fits = scope.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '"' && c != '\\');
        if (!fits || scope.isEmpty() || scope.length() > Require.MAX_ID_LENGTH) {
            throw invalid("scopes", "has an entry that is no scope");
        }
    }

    private static void requireToken(@Nullable String value, String name) {
        if (value == null) {
            return;
        }
        boolean fits = value.chars().allMatch(c -> c > ' ' && c < 0x7f);
        if (value.isEmpty() || !fits || value.length() > MOST_CHARACTERS) {
            throw invalid(name, "must be 1 to 16384 visible ASCII characters");
        }
    }

    private static InvalidRecordException invalid(String name, String what) {
        return InvalidRecordException.invalid("field " + FIELD + name + " " + what);
    }

    /** The scopes to ask for, empty for those that the server names. */
    public List<String> wantedScopes() {
        return scopes == null ? List.of() : scopes;
    }

    /** The same without what a redirect brought. */
    public OAuthConfig withoutAnswer() {
        return new OAuthConfig(
                accessToken,
                refreshToken,
                expiresAt,
                tokenEndpoint,
                issuer,
                clientId,
                clientSecret,
                resource,
                scopes,
                null,
                null,
                null);
    }

    /** Its secrets, to be masked. */
    public Stream<String> secrets() {
        return Stream.of(accessToken, refreshToken, clientSecret, code, state)
                .flatMap(Stream::ofNullable);
    }

    @Override
    public String toString() {
        return "OAuthConfig[issuer=" + issuer + ", scopes=" + scopes + "]";
    }
}
