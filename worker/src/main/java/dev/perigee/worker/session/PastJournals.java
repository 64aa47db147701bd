package dev.perigee.worker.session;

import dev.perigee.worker.instance.InstanceIdentity;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The journals that a session dropped because their instances were removed and all entries
 * acknowledged. Of the last ones it is known which number comes next, so that a later instance of
 * the same process id continues; of all others that it is no greater than the {@code floor}, where
 * every further journal begins. So no number is assigned twice, and memory is bounded. Any thread
 * may call.
 */
final class PastJournals {
    /** Remembered per session, some 500 bytes each. */
    static final int WINDOW = 1000;

    private record Past(InstanceIdentity identity, long nextSeq) {}

    private final int window;
    private final LinkedHashMap<String, Past> oldestFirst = new LinkedHashMap<>();
    private long floor = 1;

    /**
     * Nothing is past yet.
     *
     * @param window how many are remembered
     */
    PastJournals(int window) {
        this.window = window;
    }

    /** A journal was dropped whose next entry would have had this number. */
    synchronized void add(InstanceIdentity identity, long nextSeq) {
        oldestFirst.put(identity.processId(), new Past(identity, nextSeq));
        if (oldestFirst.size() > window) {
            var oldest = oldestFirst.pollFirstEntry();
            floor = Math.max(floor, oldest.getValue().nextSeq());
        }
    }

    /** The number with which a journal begins that now exists again, or for the first time. */
    synchronized long begin(String processId) {
        var past = oldestFirst.remove(processId);
        return past == null ? floor : past.nextSeq();
    }

    /** The last identity of a dropped journal; null when it is not remembered. */
    synchronized @Nullable InstanceIdentity identity(String processId) {
        var past = oldestFirst.get(processId);
        return past == null ? null : past.identity();
    }
}
