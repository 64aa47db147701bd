package dev.perigee.protocol.topic;

/** Reasons why a record becomes a dead letter. */
public enum DeadLetterReason {
    MALFORMED("malformed"),
    INVALID("invalid"),
    MISROUTED("misrouted"),
    TOO_LARGE("too_large"),
    FORBIDDEN_REPLY_TOPIC("forbidden_reply_topic"),
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
