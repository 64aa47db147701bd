package dev.perigee.worker.admin;

import dev.perigee.worker.session.BearerToken;
import org.jspecify.annotations.Nullable;

/** Who may drain a worker. Holds a digest of the token only. */
public final class DrainGuard {
    private final @Nullable BearerToken token;
    private final boolean open;

    /**
     * @param token what must be presented, null where there is none
     * @param open whether without a token whoever can ask may
     */
    public DrainGuard(@Nullable String token, boolean open) {
        this.token = token == null ? null : new BearerToken(token);
        this.open = open;
    }

    /** Why the request is refused, null when it is not. */
    @Nullable Refusal refusal(@Nullable String authorization, @Nullable String origin) {
        if (token != null) {
            return token.accepts(authorization)
                    ? null
                    : new Refusal(true, "draining this worker needs its admin.token");
        }
        if (!open) {
            return new Refusal(
                    false,
                    "others than its operators can reach these pages: set admin.token to drain"
                            + " this worker");
        }
        // A page in somebody's browser can send requests to this machine too.
        return origin == null ? null : new Refusal(false, "not from a browser");
    }

    /**
     * @param unauthorized true when another token would help
     */
    record Refusal(boolean unauthorized, String reason) {}
}
