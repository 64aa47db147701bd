package dev.perigee.protocol.audit;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Stage of an action, as an audit record says it. */
public enum AuditOutcome {
    /** It is about to be done. */
    @JsonProperty("accepted")
    ACCEPTED,
    /** It could not be begun, after it was accepted. */
    @JsonProperty("failed")
    FAILED
}
