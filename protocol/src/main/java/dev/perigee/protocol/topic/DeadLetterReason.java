package dev.perigee.protocol.topic;

/** Reasons why a record becomes a dead letter. */
public enum DeadLetterReason {
    /** The value is absent or no JSON object. */
    MALFORMED("malformed"),
    /** A field or the key is missing or not acceptable. */
    INVALID("invalid"),
    /** The record is on another partition than its key's. */
    MISROUTED("misrouted"),
    /** Larger than {@code records.max-bytes}, or than a command for every user may be. */
    TOO_LARGE("too_large"),
    /** The reply topic does not match {@code replies.allowed-topics}. */
    FORBIDDEN_REPLY_TOPIC("forbidden_reply_topic"),
    /** This version does not know the kind of command. */
    UNSUPPORTED("unsupported");

    private final String code;

    DeadLetterReason(String code) {
        this.code = code;
    }

    /** The value of the header {@link Headers#REASON}. */
    public String code() {
        return code;
    }
}
