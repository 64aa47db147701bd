package dev.perigee.gateway.link;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.protocol.link.LinkError;
import org.jspecify.annotations.Nullable;

/** Cause of a session's end, the same for each of its calls: one stable message. */
record SessionEnd(Reason reason, @Nullable LinkFailure failure, String message) {
    static final SessionEnd FENCED =
            new SessionEnd(Reason.FENCED, null, "A newer owner has the partition");
    static final SessionEnd LEFT =
            new SessionEnd(Reason.DETACHED, null, "This gateway left the partition");
    static final SessionEnd STOPPED =
            new SessionEnd(Reason.DETACHED, null, "This gateway is stopping");

    static SessionEnd lost(LinkFailure failure) {
        return new SessionEnd(
                Reason.LOST,
                failure,
                switch (failure) {
                    case EXPIRED -> "The worker no longer has the session";
                    case INCARNATION_CHANGED -> "The worker restarted";
                    case DEAD -> "The worker died";
                    case UNREACHABLE -> "The worker could not be reached in time";
                    case DRAINING -> "The worker is leaving";
                    case ENDED -> "The worker gave the session up";
                    case REFUSED -> "The worker refuses the session";
                });
    }

    /** What an error answer to a call says of the whole session; null where nothing. */
    static @Nullable SessionEnd of(LinkError error) {
        return switch (error) {
            case FENCED -> FENCED;
            case SESSION_EXPIRED -> lost(LinkFailure.EXPIRED);
            case INCARNATION_CHANGED -> lost(LinkFailure.INCARNATION_CHANGED);
            case ALREADY_ATTACHED,
                    DRAINING,
                    OVERLOADED,
                    NO_COMMON_VERSION,
                    PARSE_ERROR,
                    INVALID_REQUEST,
                    METHOD_NOT_FOUND,
                    INVALID_PARAMS,
                    INTERNAL ->
                    null;
        };
    }

    LinkException toException(boolean mayHaveRun) {
        return new LinkException(reason, failure, mayHaveRun, message);
    }
}
