package dev.perigee.protocol.link;

import org.jspecify.annotations.Nullable;

/** Error codes of the link: the gateway decides by the code, never by the message. */
public enum LinkError {
    /**
     * Same epoch, a generation not newer than the attached one: retry until the detach finishes.
     */
    ALREADY_ATTACHED(-32010),
    /** A higher epoch attached: stop, the partition is no longer yours. */
    FENCED(-32011),
    /** The session is gone: create a new one with a fresh claim and apply the desired state. */
    SESSION_EXPIRED(-32012),
    /** The worker restarted: as an expired session, and its processes are known to be dead. */
    INCARNATION_CHANGED(-32013),
    /** The worker takes nothing new: place the partition elsewhere. */
    DRAINING(-32014),
    /** The worker has no room now: back off. */
    OVERLOADED(-32015),
    /** No version of the link is spoken by both sides: upgrade the side that the message names. */
    NO_COMMON_VERSION(-32016),
    PARSE_ERROR(-32700),
    INVALID_REQUEST(-32600),
    METHOD_NOT_FOUND(-32601),
    INVALID_PARAMS(-32602),
    INTERNAL(-32603);

    private final int code;

    LinkError(int code) {
        this.code = code;
    }

    /** The JSON-RPC error code. */
    public int code() {
        return code;
    }

    /** The error of this code, or null when this version does not know it. */
    public static @Nullable LinkError of(int code) {
        for (LinkError error : values()) {
            if (error.code == code) {
                return error;
            }
        }
        return null;
    }
}
