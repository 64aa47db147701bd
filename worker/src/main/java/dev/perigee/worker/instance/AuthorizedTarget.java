package dev.perigee.worker.instance;

import dev.perigee.worker.mcp.HttpTarget;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.TargetSource;
import dev.perigee.worker.oauth.BearerChallenge;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Target of requests with the access token on them, where the instance has OAuth; otherwise the
 * configured one.
 */
final class AuthorizedTarget implements TargetSource {
    private static final String HEADER = "Authorization";
    private static final String SCHEME = "Bearer ";
    private static final int FORBIDDEN = 403;

    private final TargetSource configured;
    private final AccessTokens tokens;

    AuthorizedTarget(TargetSource configured, AccessTokens tokens) {
        this.configured = configured;
        this.tokens = tokens;
    }

    @Override
    public HttpTarget get() {
        return authorized(configured.get());
    }

    private HttpTarget authorized(HttpTarget target) {
        var token = tokens.at(target.url());
        return token == null ? target : target.with(HEADER, SCHEME + token);
    }

    @Override
    public boolean isRenewable() {
        return tokens.isActive() || configured.isRenewable();
    }

    @Override
    public void renew(long deadlineNanos) throws McpException, InterruptedException {
        configured.renew(deadlineNanos);
        tokens.await(deadlineNanos);
    }

    @Override
    public CompletableFuture<HttpTarget> renewed() {
        return configured.renewed().thenApply(this::authorized);
    }

    /** Of the token its response has told already, and more. */
    @Override
    public void refused(HttpTarget carried) {
        var plain = configured.get();
        if (authorized(plain).equals(carried)) {
            configured.refused(plain);
        }
    }

    @Override
    public void refused(HttpTarget carried, int status, @Nullable String challenge) {
        refused(carried);
        if (tokens.isActive()) {
            var by = BearerChallenge.of(challenge);
            if (status == FORBIDDEN) {
                tokens.challenged(by); // Another token of the same grant would be refused, too.
            } else {
                tokens.refused(token(carried), by);
            }
        }
    }

    private static @Nullable String token(HttpTarget carried) {
        var value = carried.headers().get(HEADER);
        return value != null && value.startsWith(SCHEME) ? value.substring(SCHEME.length()) : null;
    }

    @Override
    public @Nullable String lacking(int status, @Nullable String challenge) {
        if (status != FORBIDDEN || !tokens.isActive()) {
            return null;
        }
        var by = BearerChallenge.of(challenge);
        if (!by.wantsMoreScopes()) {
            return null;
        }
        tokens.lacks(by.scopes());
        return "the token lacks scopes: " + String.join(" ", by.scopes());
    }
}
