package dev.perigee.worker.oauth;

import dev.perigee.protocol.config.OAuthConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Tokens of an installation, as a later owner reads them. Without {@link #toString()} of a secret.
 *
 * @param accessToken what requests carry
 * @param refreshToken what the next ones are got with, null where there is none
 * @param expiresAt null where that is not known
 * @param obtainedAt when they were got, or first seen
 * @param tokenEndpoint where they are refreshed, null to discover it by the issuer
 * @param issuer null where it is not known
 * @param clientId whose they are, null where they are not refreshed
 * @param resource what they are for, null where the authorization server was not told
 * @param scopes that are granted, as far as known
 */
public record Tokens(
        String accessToken,
        @Nullable String refreshToken,
        @Nullable Instant expiresAt,
        Instant obtainedAt,
        @Nullable String tokenEndpoint,
        @Nullable String issuer,
        @Nullable String clientId,
        @Nullable String resource,
        List<String> scopes) {

    @SuppressWarnings("NullAway") // Jackson passes null for what the record did not carry.
    public Tokens {
        scopes = scopes == null ? List.of() : List.copyOf(scopes);
    }

    /** Those of a configuration, null where it has none. */
    public static @Nullable Tokens of(OAuthConfig config, Instant now) {
        var token = config.accessToken();
        return token == null
                ? null
                : new Tokens(
                        token,
                        config.refreshToken(),
                        known(config.expiresAt()),
                        now,
                        config.tokenEndpoint(),
                        config.issuer(),
                        config.clientId(),
                        config.resource(),
                        config.wantedScopes());
    }

    /** Some clients write that they do not know as the first day of all. */
    private static @Nullable Instant known(@Nullable Instant end) {
        return end == null || end.isBefore(Instant.EPOCH) ? null : end;
    }

    /**
     * Those that a token endpoint answered with, in the place of these.
     *
     * @throws OAuthException when it has no token that a header can carry
     */
    Tokens replacedBy(JsonNode answer, Instant now) throws OAuthException {
        var token = OAuthHttp.text(answer, "access_token");
        var type = OAuthHttp.text(answer, "token_type");
        boolean bearer = type == null || type.equalsIgnoreCase("bearer");
        if (token == null || !fits(token, 64 * 1024) || !bearer) {
            throw OAuthException.refused("The authorization server's answer has no bearer token");
        }
        long seconds = answer.path("expires_in").asLong(0);
        var next = OAuthHttp.text(answer, "refresh_token");
        if (next != null && !fits(next, 16 * 1024)) {
            throw OAuthException.refused("The authorization server's refresh token is too much");
        }
        var granted = OAuthHttp.text(answer, "scope");
        return new Tokens(
                token,
                next == null ? refreshToken : next,
                seconds <= 0 ? null : now.plusSeconds(Math.min(seconds, 315_360_000)),
                now,
                tokenEndpoint,
                issuer,
                clientId,
                resource,
                granted == null ? scopes : BearerChallenge.scopes(granted));
    }

    private static boolean fits(String token, int most) {
        return token.length() <= most && token.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    /** The same, that cannot be refreshed any more. */
    public Tokens withoutRefresh() {
        return new Tokens(
                accessToken,
                null,
                expiresAt,
                obtainedAt,
                tokenEndpoint,
                issuer,
                clientId,
                resource,
                scopes);
    }

    /**
     * When to refresh them, null where the server's refusal is waited for.
     *
     * @param before how long before they expire, a third of their time at most
     * @param jitter from 0 to 1: up to half as much sooner
     */
    public @Nullable Instant refreshAt(Duration before, double jitter) {
        if (refreshToken == null || expiresAt == null) {
            return null;
        }
        var third = Duration.between(obtainedAt, expiresAt).dividedBy(3);
        var margin = third.compareTo(before) < 0 ? third : before;
        if (margin.isNegative()) {
            return expiresAt;
        }
        return expiresAt.minus(margin).minusNanos((long) (margin.toNanos() * jitter / 2));
    }

    @Override
    public String toString() {
        return "Tokens[issuer=" + issuer + ", expiresAt=" + expiresAt + ", scopes=" + scopes + "]";
    }
}
