package dev.perigee.protocol.command;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Outcome of a command. All but {@link #ACKNOWLEDGED} are terminal: each command has one of these.
 */
public enum CommandOutcome {
    /** A gateway accepted the command; its terminal outcome follows. */
    @JsonProperty("acknowledged")
    ACKNOWLEDGED,
    /** Carried out; the resulting status may still be an error's. */
    @JsonProperty("completed")
    COMPLETED,
    /** Not carried out, or not wholly; the error says why. */
    @JsonProperty("failed")
    FAILED,
    /** Accepted later than {@code expires_at}; nothing was done. */
    @JsonProperty("expired")
    EXPIRED,
    /** Not acceptable as it is; nothing was done. */
    @JsonProperty("rejected")
    REJECTED
}
