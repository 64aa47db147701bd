package dev.perigee.console;

import dev.perigee.protocol.audit.AuditAction;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Count of how targets of an action ended, and the first of each kind. For the holder of a lock.
 */
final class ActionTally {
    private static final int SHOWN = 20;

    private final List<ActionProgress.Outcome> failures = new ArrayList<>();
    private final List<ActionProgress.Outcome> completions = new ArrayList<>();
    private int completed;
    private int failed;
    private boolean done;
    private @Nullable String problem;

    /** One target has ended. */
    void ended(String target, boolean fine, String text) {
        if (fine) {
            completed++;
        } else {
            failed++;
        }
        var some = fine ? completions : failures;
        if (some.size() < SHOWN) {
            some.add(new ActionProgress.Outcome(target, fine, Text.cut(text, Text.LINE)));
        }
    }

    /** How many have. */
    int ended() {
        return completed + failed;
    }

    /** Nothing more comes; the reason is null where all ended. Only the first end counts. */
    void close(@Nullable String why) {
        if (!done) {
            problem = why;
            done = true;
        }
    }

    ActionProgress progress(String requestId, AuditAction action, int total, int begun) {
        var shown = new ArrayList<>(failures);
        shown.addAll(completions);
        return new ActionProgress(
                requestId,
                action,
                total,
                begun,
                completed,
                failed,
                done,
                problem,
                shown.subList(0, Math.min(SHOWN, shown.size())));
    }
}
