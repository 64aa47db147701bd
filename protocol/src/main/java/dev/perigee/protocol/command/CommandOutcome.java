package dev.perigee.protocol.command;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Outcome of a command. All but {@link #ACKNOWLEDGED} are terminal: each command has one of these.
 */
public enum CommandOutcome {
    @JsonProperty("acknowledged")
    ACKNOWLEDGED,
    @JsonProperty("completed")
    COMPLETED,
    @JsonProperty("failed")
    FAILED,
    @JsonProperty("expired")
    EXPIRED,
    @JsonProperty("rejected")
    REJECTED
}
