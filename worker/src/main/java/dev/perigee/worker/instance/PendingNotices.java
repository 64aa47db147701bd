package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Notifications of one server that wait to be published: of each key the newest, the one that has
 * waited longest first. The first is due at once, what comes within {@link #PAUSE} of it then, and
 * all together no faster than {@link #PER_SECOND} and {@link #BYTES_PER_SECOND}. Holds {@link
 * #MAX_KEYS} and {@link #MAX_BYTES} at most; what is beyond is counted. Takes the time from its
 * caller, in nanoseconds; not thread-safe.
 */
final class PendingNotices {
    /** Between two times of publishing. */
    static final Duration PAUSE = Duration.ofMillis(250);

    /** Events a second, on average. */
    static final int PER_SECOND = 20;

    /** Bytes of notifications a second, on average. */
    static final int BYTES_PER_SECOND = 32 << 10;

    static final int MAX_KEYS = 256;
    static final int MAX_BYTES = 32 << 10;

    /** What may come at once is what the average gives in this time. */
    private static final int BURST_SECONDS = 3;

    private static final double NANOS = 1e9;

    private final LinkedHashMap<String, Notice> waiting = new LinkedHashMap<>();
    private final double[] tokens = {PER_SECOND * BURST_SECONDS, BYTES_PER_SECOND * BURST_SECONDS};
    private int bytes;
    private long filledNanos;
    private long nextNanos;
    private boolean started;
    private long dropped;

    /** Maker of the event, when it is published. */
    @FunctionalInterface
    interface Maker {
        /**
         * The event.
         *
         * @param dropped notifications that were left out before it, null for none
         */
        EventBody event(@Nullable Long dropped);
    }

    /**
     * A notification.
     *
     * @param key of two with one key only the newer is published
     * @param bytes that it holds
     */
    record Notice(String key, int bytes, Maker maker) {}

    /**
     * A notification that is due.
     *
     * @param dropped notifications that were left out before it, null for none
     */
    record Due(Maker maker, @Nullable Long dropped) {
        /** The event, made by the caller: that may take time. */
        EventBody event() {
            return maker.event(dropped);
        }
    }

    /** Takes a notification, in the place of the older one of its key. */
    void put(Notice notice) {
        var older = waiting.get(notice.key());
        int held = older == null ? 0 : older.bytes();
        boolean fits =
                bytes - held + notice.bytes() <= MAX_BYTES
                        && (older != null || waiting.size() < MAX_KEYS);
        if (fits) {
            waiting.put(notice.key(), notice); // In the older one's place of the queue.
            bytes += notice.bytes() - held;
        } else {
            if (older != null) {
                waiting.remove(notice.key()); // It is not the newest any more.
                bytes -= held;
            }
            dropped++;
        }
    }

    /** A notification was left out. */
    void drop() {
        dropped++;
    }

    /** How many were left out since an event told so. */
    long dropped() {
        return dropped;
    }

    /** Takes out what may be published now. */
    List<Due> due(long nowNanos) {
        if (waiting.isEmpty() || (started && nowNanos - nextNanos < 0)) {
            return List.of();
        }
        fill(nowNanos);
        var events = new ArrayList<Due>();
        var each = waiting.values().iterator();
        while (each.hasNext()) {
            var notice = each.next();
            if (tokens[0] < 1 || tokens[1] < notice.bytes()) {
                break;
            }
            tokens[0]--;
            tokens[1] -= notice.bytes();
            each.remove();
            bytes -= notice.bytes();
            events.add(new Due(notice.maker(), dropped == 0 ? null : (Long) dropped));
            dropped = 0;
        }
        started = true;
        nextNanos = nowNanos + PAUSE.toNanos();
        return events;
    }

    private void fill(long nowNanos) {
        if (started) {
            double seconds = Math.max(0, nowNanos - filledNanos) / NANOS;
            tokens[0] = Math.min(PER_SECOND * BURST_SECONDS, tokens[0] + seconds * PER_SECOND);
            tokens[1] =
                    Math.min(
                            BYTES_PER_SECOND * BURST_SECONDS,
                            tokens[1] + seconds * BYTES_PER_SECOND);
        }
        filledNanos = nowNanos;
    }

    /** How long until {@link #due} may give something; null while nothing waits. */
    @Nullable Duration pause(long nowNanos) {
        if (waiting.isEmpty()) {
            return null;
        }
        return started ? Duration.ofNanos(Math.max(0, nextNanos - nowNanos)) : Duration.ZERO;
    }
}
