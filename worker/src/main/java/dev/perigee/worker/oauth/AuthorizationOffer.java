package dev.perigee.worker.oauth;

import dev.perigee.protocol.config.OAuthConfig;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Authorization that a user was asked for: what the answer is checked with and exchanged by. Kept
 * where tokens are; {@link #toString()} has nothing of it.
 *
 * @param state that the answer must have
 * @param verifier of PKCE
 * @param endpoint where the user authorizes
 * @param issuer whose answer it must be
 * @param namesIssuer whether an answer without {@code iss} is refused
 * @param offline whether a refresh token has to be asked for by its scope
 * @param expiresAt until when an answer is taken
 */
public record AuthorizationOffer(
        String state,
        String verifier,
        String endpoint,
        String tokenEndpoint,
        String issuer,
        boolean namesIssuer,
        boolean offline,
        String clientId,
        String redirectUri,
        String resource,
        List<String> scopes,
        Instant expiresAt) {

    public AuthorizationOffer {
        scopes = List.copyOf(scopes);
    }

    /** Where the user's browser goes; has no secret but the state, which is the user's own. */
    public String url() {
        var query = new LinkedHashMap<String, String>();
        query.put("response_type", "code");
        query.put("client_id", clientId);
        query.put("redirect_uri", redirectUri);
        query.put("state", state);
        query.put("code_challenge", Pkce.challenge(verifier));
        query.put("code_challenge_method", "S256");
        query.put("resource", resource);
        var asked = offline ? BearerChallenge.union(scopes, List.of("offline_access")) : scopes;
        if (!asked.isEmpty()) {
            query.put("scope", String.join(" ", asked));
        }
        if (offline) {
            query.put("prompt", "consent"); // OpenID Connect wants it with that scope.
        }
        return endpoint + (endpoint.indexOf('?') < 0 ? "?" : "&") + OAuthHttp.encoded(query);
    }

    /** Why an answer is not acceptable, for people; null when it is. */
    public @Nullable String refusal(OAuthConfig answer, Instant now) {
        if (!isState(answer.state())) {
            return "The state is not the one of the authorization that was asked for";
        }
        var iss = answer.iss();
        if (iss == null ? namesIssuer : !iss.equals(issuer)) {
            return "The answer's iss is not the issuer that was asked";
        }
        return now.isBefore(expiresAt) ? null : "The authorization came too late";
    }

    boolean isState(@Nullable String given) {
        return given != null
                && MessageDigest.isEqual(
                        given.getBytes(StandardCharsets.UTF_8),
                        state.getBytes(StandardCharsets.UTF_8));
    }

    /** The tokens to be: everything but what the token endpoint says. */
    Tokens granting(Instant now) {
        return new Tokens("", null, null, now, tokenEndpoint, issuer, clientId, resource, scopes);
    }

    @Override
    public String toString() {
        return "AuthorizationOffer[issuer=" + issuer + ", scopes=" + scopes + "]";
    }
}
