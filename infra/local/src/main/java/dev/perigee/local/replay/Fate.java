package dev.perigee.local.replay;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of a command or request on one side; null is what nobody recorded.
 *
 * @param outcome as on the wire: {@code completed}, {@code failed}, {@code success} and so on
 * @param status of the server when it ended
 * @param finalStatus of the process when all was over
 * @param error its code
 * @param remark for people: the error's message, or a note
 */
public record Fate(
        @Nullable String processId,
        @Nullable String outcome,
        @Nullable String status,
        @Nullable String finalStatus,
        @Nullable String error,
        @Nullable String remark) {
    static final Fate UNKNOWN = new Fate(null, null, null, null, null, null);

    Fate withFinal(@Nullable String last) {
        return new Fate(processId, outcome, status, last, error, remark);
    }

    /** The outcome, its error and the status, in few words. */
    public String inWords() {
        if (outcome == null) {
            return "-";
        }
        return outcome + (error == null ? "" : " " + error) + (status == null ? "" : ", " + status);
    }
}
