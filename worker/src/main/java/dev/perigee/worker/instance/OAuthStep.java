package dev.perigee.worker.instance;

import dev.perigee.worker.oauth.AuthorizationOffer;
import dev.perigee.worker.oauth.Tokens;

/** Step of OAuth that was done for an instance. */
sealed interface OAuthStep {

    /** What was told is durable. */
    record Durable() implements OAuthStep {}

    /** The authorization server gave tokens. */
    record Granted(Tokens tokens) implements OAuthStep {}

    /** The user can be asked to authorize. */
    record Offered(AuthorizationOffer offer) implements OAuthStep {}

    /**
     * It failed.
     *
     * @param why for people
     * @param isFinal whether the same would fail again
     */
    record Failed(String why, boolean isFinal) implements OAuthStep {}
}
