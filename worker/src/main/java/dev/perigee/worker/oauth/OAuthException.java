package dev.perigee.worker.oauth;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A step of OAuth that failed. The message is for people and has nothing secret. */
public final class OAuthException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final Pattern CODE = Pattern.compile("[a-z_]{1,64}");

    private final boolean isFinal;

    private OAuthException(String message, boolean isFinal) {
        super(message, null, false, false);
        this.isFinal = isFinal;
    }

    /** No answer, or one that says to come back: the same may succeed later. */
    static OAuthException unanswered(String message) {
        return new OAuthException(message, false);
    }

    /** Refused, or not acceptable: the same would fail again. */
    static OAuthException refused(String message) {
        return new OAuthException(message, true);
    }

    /** The same by an error of OAuth, which is named where it is one: the server may write more. */
    static OAuthException refused(int status, @Nullable String error) {
        var named = error != null && CODE.matcher(error).matches() ? ", " + error : "";
        return refused("The authorization server refused (HTTP " + status + named + ")");
    }

    /** Whether the same would fail again. */
    public boolean isFinal() {
        return isFinal;
    }
}
