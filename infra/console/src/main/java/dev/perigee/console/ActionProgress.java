package dev.perigee.console;

import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.audit.AuditTarget;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Progress of an action, as the page shows it.
 *
 * @param total instances, 1 for a worker
 * @param begun how many commands were sent
 * @param completed how many ended as wanted
 * @param failed how many ended otherwise, or did not end in time
 * @param done whether nothing more comes
 * @param problem why it ended early, null where it did not
 * @param outcomes of the first that ended, those that failed before others
 */
record ActionProgress(
        String requestId,
        AuditAction action,
        int total,
        int begun,
        int completed,
        int failed,
        boolean done,
        @Nullable String problem,
        List<Outcome> outcomes) {

    ActionProgress {
        outcomes = List.copyOf(outcomes);
    }

    /** Of a drain that a worker began, or undid. */
    static ActionProgress drained(
            String requestId, AuditAction action, String worker, String text) {
        var outcome = List.of(new Outcome(worker, true, text));
        return new ActionProgress(requestId, action, 1, 1, 1, 0, true, null, outcome);
    }

    /**
     * The one record of a stop that is about to come, whatever the run then takes back. Until it
     * comes more may be begun.
     */
    AuditRecord stopped(String id, AuditRecord.Actor by, String why, Instant at) {
        var left = "At most %d of %d left.".formatted(total - begun, total);
        var target = AuditTarget.selection(null, null, left);
        return AuditRecord.accepted(id, requestId, action, target, by, null, at)
                .failed(why + " " + left, at);
    }

    /**
     * Outcome for one target.
     *
     * @param target process id or worker id
     * @param text what it led to, for people
     */
    record Outcome(String target, boolean completed, String text) {}
}
