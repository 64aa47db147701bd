package dev.perigee.local.replay;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Kinds of difference between a copy's fate and its original's; the worst first. */
public enum Difference {
    MISSING("missing", "no result in staging in time"),
    OUTCOME("outcome", "another outcome"),
    ERROR("error", "another error"),
    STATUS("status", "another status when the command ended"),
    FINAL_STATUS("final_status", "another status in the end"),
    UNRECORDED("unrecorded", "production has no result on record"),
    NONE("none", "the same");

    private final String code;
    private final String explanation;

    Difference(String code, String explanation) {
        this.code = code;
        this.explanation = explanation;
    }

    /** For programs. */
    @JsonValue
    public String code() {
        return code;
    }

    /** For people. */
    public String explanation() {
        return explanation;
    }

    /** Whether it is one: what production has no record of cannot differ. */
    public boolean counts() {
        return this != NONE && this != UNRECORDED;
    }

    /**
     * Compares. A status that only one side has is no difference: a replay is faster than what it
     * repeats, and a command that a newer one overtakes ends without.
     *
     * @param isLast the command is the last one about its process, which the final status follows
     *     from
     */
    static Difference between(Fate production, Fate staging, boolean isLast) {
        if (staging.outcome() == null) {
            return MISSING;
        }
        if (production.outcome() == null) {
            return UNRECORDED;
        }
        if (!staging.outcome().equals(production.outcome())) {
            return OUTCOME;
        }
        if (!Objects.equals(staging.error(), production.error())) {
            return ERROR;
        }
        if (differ(production.status(), staging.status())) {
            return STATUS;
        }
        return isLast && differ(production.finalStatus(), staging.finalStatus())
                ? FINAL_STATUS
                : NONE;
    }

    private static boolean differ(@Nullable String production, @Nullable String staging) {
        return production != null && staging != null && !production.equals(staging);
    }
}
