package dev.perigee.local.replay;

import dev.perigee.protocol.topic.DeadLetterReason;

/** Why a record of the source is not copied though the selection has it. */
public enum Refusal {
    MALFORMED("malformed", "no JSON object, or none with the fields of the contract"),
    INVALID("invalid", "a field or the key is not as the contract says"),
    MISROUTED("misrouted", "on another partition than its key's"),
    TOO_LARGE("too_large", "larger than the contract allows, or than the target takes"),
    UNSUPPORTED("unsupported", "of a kind that this version does not know"),
    COPY("copy", "a gateway's copy of a command for every user, whose original is copied"),
    REPORT("report", "what gateways tell each other about such copies"),
    NOT_READ_ONLY(
            "not_read_only",
            "a call of a tool that is neither declared read-only nor named by --tool, or a"
                    + " subscription"),
    FROM_TARGET("from_target", "came from the target by an earlier replay");

    private final String code;
    private final String explanation;

    Refusal(String code, String explanation) {
        this.code = code;
        this.explanation = explanation;
    }

    /** For programs. */
    public String code() {
        return code;
    }

    /** For people. */
    public String explanation() {
        return explanation;
    }

    static Refusal of(DeadLetterReason reason) {
        return switch (reason) {
            case MALFORMED -> MALFORMED;
            case INVALID, FORBIDDEN_REPLY_TOPIC -> INVALID;
            case MISROUTED -> MISROUTED;
            case TOO_LARGE -> TOO_LARGE;
            case UNSUPPORTED -> UNSUPPORTED;
        };
    }
}
