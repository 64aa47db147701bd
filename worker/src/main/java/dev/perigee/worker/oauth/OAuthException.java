package dev.perigee.worker.oauth;

import java.util.Set;

/** A step of OAuth that failed. The message is for people and has nothing secret. */
public final class OAuthException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Those of a token endpoint that say no, and not to come back: OAuth's, those that OpenID
     * Connect and others have for a user who must come again, and GitHub's.
     */
    private static final Set<String> REFUSALS =
            Set.of(
                    "invalid_request",
                    "invalid_client",
                    "invalid_grant",
                    "unauthorized_client",
                    "unsupported_grant_type",
                    "invalid_scope",
                    "invalid_target",
                    "access_denied",
                    "interaction_required",
                    "login_required",
                    "consent_required",
                    "bad_refresh_token");

    private final boolean isFinal;
    private final boolean isAnswer;

    private OAuthException(String message, boolean isFinal, boolean isAnswer) {
        super(message, null, false, false);
        this.isFinal = isFinal;
        this.isAnswer = isAnswer;
    }

    /** No answer, or one that says to come back: the same may succeed later. */
    static OAuthException unanswered(String message) {
        return new OAuthException(message, false, false);
    }

    /** Refused, or not acceptable: the same would fail again. */
    static OAuthException refused(String message) {
        return new OAuthException(message, true, false);
    }

    /** Refused by the token endpoint itself. */
    static OAuthException answered(int status, String error) {
        return new OAuthException(
                "The authorization server refused (HTTP " + status + ", " + error + ")",
                true,
                true);
    }

    /** Whether a token endpoint says no by this error. */
    static boolean isRefusal(String error) {
        return REFUSALS.contains(error);
    }

    /** Whether the token endpoint itself said so, in the words of OAuth. */
    boolean isAnswer() {
        return isAnswer;
    }

    /** Whether the same would fail again. */
    public boolean isFinal() {
        return isFinal;
    }
}
