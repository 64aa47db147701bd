package dev.perigee.worker.instance;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fates of an instance's last {@link #MOST} questions, so that a late response is refused with the
 * reason. Safe for use by any thread.
 */
final class EndedQuestions {
    static final int MOST = 200;

    private final Map<String, CallInput.Fate> fates = new LinkedHashMap<>();

    synchronized void add(String requestId, String inputId, CallInput.Fate how) {
        fates.put(key(requestId, inputId), how);
        if (fates.size() > MOST) {
            fates.remove(fates.keySet().iterator().next());
        }
    }

    /** Null where it is not known. */
    synchronized CallInput.@Nullable Fate of(String requestId, String inputId) {
        return fates.get(key(requestId, inputId));
    }

    /** Ids have no slash. */
    private static String key(String requestId, String inputId) {
        return requestId + "/" + inputId;
    }
}
