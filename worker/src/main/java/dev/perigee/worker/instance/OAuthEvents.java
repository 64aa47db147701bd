package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody.Authorization;
import dev.perigee.worker.oauth.AuthorizationOffer;
import dev.perigee.worker.oauth.OAuthState;
import dev.perigee.worker.oauth.Tokens;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events about an instance's tokens, each with the state that the reporter has by then. They name
 * issuer, scopes and times, never a token. Confined to the supervisor's thread.
 */
final class OAuthEvents {
    private final Reporter reporter;

    OAuthEvents(Reporter reporter) {
        this.reporter = reporter;
    }

    /** The authorization server is about to be asked; called back when that is durable. */
    void begins(String change, Runnable durable) {
        append(change, issuer(), List.of(), null, null, durable);
    }

    /** There are tokens; called back when they are durable. */
    void granted(Tokens tokens, Runnable durable) {
        append("granted", tokens.issuer(), tokens.scopes(), tokens.expiresAt(), null, durable);
    }

    /** Tokens cannot be had. */
    void failed(String why) {
        append("failed", issuer(), List.of(), null, why, () -> {});
    }

    /** The server wants scopes that the backend is to get a token for. */
    void lacks(List<String> scopes) {
        append("step_up", issuer(), scopes, null, null, () -> {});
    }

    /**
     * The user is asked to authorize.
     *
     * @param change {@code required} or {@code step_up}
     */
    void offers(String change, AuthorizationOffer offer) {
        reporter.append(
                new Authorization(
                        change,
                        offer.url(),
                        offer.issuer(),
                        shown(offer.scopes()),
                        offer.expiresAt(),
                        null),
                null);
    }

    private void append(
            String change,
            @Nullable String issuer,
            List<String> scopes,
            @Nullable Instant expiresAt,
            @Nullable String why,
            Runnable durable) {
        reporter.append(
                new Authorization(change, null, issuer, shown(scopes), expiresAt, why),
                null,
                durable);
    }

    private @Nullable String issuer() {
        var state = reporter.oauth();
        var offer = state == null ? null : state.offer();
        return offer != null ? offer.issuer() : issuer(state);
    }

    private static @Nullable String issuer(@Nullable OAuthState of) {
        var tokens = of == null ? null : of.tokens();
        return tokens == null ? null : tokens.issuer();
    }

    private static @Nullable List<String> shown(List<String> scopes) {
        return scopes.isEmpty() ? null : scopes;
    }
}
