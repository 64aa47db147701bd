package dev.perigee.protocol.tool;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Outcome of a request. */
public enum ToolOutcome {
    /** The server answered. */
    @JsonProperty("success")
    SUCCESS,
    /** The server answered and said {@code isError}. */
    @JsonProperty("tool_error")
    TOOL_ERROR,
    /** There is no server's answer; the error says why. */
    @JsonProperty("failed")
    FAILED
}
