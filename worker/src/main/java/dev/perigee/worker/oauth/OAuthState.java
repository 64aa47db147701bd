package dev.perigee.worker.oauth;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * OAuth of an installation, as a later owner needs it; stored where secrets are. Changed by
 * addition only. {@link #toString()} has no secret.
 *
 * @param of fingerprint of the configuration that it is of
 * @param tokens null before the first
 * @param begun what the authorization server was about to be asked for, and has not answered as far
 *     as is known: {@link #REFRESH} or {@link #EXCHANGE}; null for nothing
 * @param offer the authorization that waits for its user, null for none
 * @param usedCode digest of the code that was exchanged last, null for none
 */
public record OAuthState(
        String of,
        @Nullable Tokens tokens,
        @Nullable String begun,
        @Nullable AuthorizationOffer offer,
        @Nullable String usedCode) {
    /** New tokens for a refresh token. */
    public static final String REFRESH = "refresh";

    /** Tokens for a code. */
    public static final String EXCHANGE = "exchange";

    /** Fingerprint of what tokens belong to: the server's address and its OAuth. */
    public static String fingerprint(ServerConfig config) {
        var oauth = Objects.requireNonNull(config.oauth()).withoutAnswer();
        return Pkce.challenge(
                config.url() + "\n" + new String(Json.write(oauth), StandardCharsets.UTF_8));
    }

    /** The same with other tokens, and nothing begun. */
    public OAuthState with(@Nullable Tokens next) {
        return new OAuthState(of, next, null, offer, usedCode);
    }

    /** The same with this begun. */
    public OAuthState beginning(@Nullable String next) {
        return new OAuthState(of, tokens, next, offer, usedCode);
    }

    /** The same with another offer. */
    public OAuthState offering(@Nullable AuthorizationOffer next) {
        return new OAuthState(of, tokens, begun, next, usedCode);
    }

    /** The same, about to exchange a code, which is used from now on whatever comes of it. */
    public OAuthState exchanging(String code) {
        return new OAuthState(of, tokens, EXCHANGE, offer, Pkce.challenge(code));
    }

    /** Whether it is the code that was exchanged last. */
    public boolean isUsed(String code) {
        return Pkce.challenge(code).equals(usedCode);
    }

    @Override
    public String toString() {
        return "OAuthState[" + tokens + ", begun=" + begun + ", " + offer + "]";
    }
}
