package dev.perigee.protocol.command;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How far a command came. All but {@link #ACKNOWLEDGED} are terminal: each command has one. */
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
