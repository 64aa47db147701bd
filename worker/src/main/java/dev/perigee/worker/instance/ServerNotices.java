package dev.perigee.worker.instance;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.ListChanged;
import dev.perigee.protocol.event.EventBody.Notification;
import dev.perigee.protocol.event.EventBody.ResourceUpdated;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.instance.PendingNotices.Notice;
import dev.perigee.worker.log.MaskedJson;
import dev.perigee.worker.tool.ServerRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Publisher of what a server notifies of by itself: resources and lists that changed, and all else
 * that is no part of a call. Coalesced and bounded by {@link PendingNotices}, without the
 * configured secrets, which are looked for only in what is published, on a virtual thread of its
 * own. Dropped ones are counted in the server's log, too. Safe for use by any thread; never blocks.
 */
final class ServerNotices {
    private static final String UPDATED = "notifications/resources/updated";

    /** Longest name of a method that is passed on. */
    private static final int MAX_METHOD_BYTES = 200;

    /** Largest parameters that a URI is read from. */
    private static final int MAX_UPDATE_BYTES = 16 << 10;

    private static final long REMARK_NANOS = Duration.ofSeconds(10).toNanos();

    private final UnaryOperator<String> mask;
    private final Outlet outlet;
    private final ScheduledExecutorService timers;
    private final PendingNotices pending = new PendingNotices();

    /** Somebody publishes, or will. */
    private boolean busy;

    private long leftOut;
    private long remarkedNanos = System.nanoTime() - REMARK_NANOS;

    /** Where it goes, on that thread; must not block. */
    interface Outlet {
        void publish(EventBody event);

        /** A line of the server's log. */
        void remark(String what);
    }

    private record Updated(@JsonProperty("uri") @Nullable String uri) {}

    /**
     * Nothing is said yet.
     *
     * @param mask takes secrets out of a text
     * @param timers for the starts of that thread
     */
    ServerNotices(UnaryOperator<String> mask, Outlet outlet, ScheduledExecutorService timers) {
        this.mask = mask;
        this.outlet = outlet;
        this.timers = timers;
    }

    /** The server sent a notification; its parameters, unread. */
    void said(String method, @Nullable RawJson params) {
        var notice =
                switch (method) {
                    case UPDATED -> updated(params);
                    case "notifications/tools/list_changed" -> changed("tools");
                    case "notifications/resources/list_changed" -> changed("resources");
                    case "notifications/prompts/list_changed" -> changed("prompts");
                    default -> other(method, params);
                };
        put(notice);
    }

    private synchronized void put(@Nullable Notice notice) {
        if (notice == null) {
            leaveOut();
        } else {
            long before = pending.dropped();
            pending.put(notice);
            leftOut += pending.dropped() - before;
        }
        wake(System.nanoTime());
    }

    private void leaveOut() {
        pending.drop();
        leftOut++;
    }

    /** Has what waits published in time. Under the lock. */
    private void wake(long nowNanos) {
        var pause = pending.pause(nowNanos);
        if (busy || (pause == null && !isRemarkDue(nowNanos))) {
            return;
        }
        busy = true;
        if (pause == null || pause.isZero()) {
            begin();
            return;
        }
        try {
            var _ = timers.schedule(this::begin, pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            busy = false; // The worker is stopping.
        }
    }

    /** Whoever notifies, and the timers, must not wait until secrets are looked for. */
    private void begin() {
        Thread.ofVirtual().name("server-notices").start(this::publish);
    }

    /** One thread at a time, which keeps the order. */
    private void publish() {
        try {
            List<PendingNotices.Due> due;
            String remark;
            synchronized (this) {
                long now = System.nanoTime();
                due = pending.due(now);
                remark = takeRemark(now);
            }
            due.forEach(notice -> outlet.publish(notice.event()));
            if (remark != null) {
                outlet.remark(remark);
            }
        } finally {
            synchronized (this) {
                busy = false;
                wake(System.nanoTime());
            }
        }
    }

    private boolean isRemarkDue(long nowNanos) {
        return leftOut > 0 && nowNanos - remarkedNanos >= REMARK_NANOS;
    }

    private @Nullable String takeRemark(long nowNanos) {
        if (!isRemarkDue(nowNanos)) {
            return null;
        }
        var remark =
                "%d notifications of the server were left out: they came faster than they are published, or were too large"
                        .formatted(leftOut);
        remarkedNanos = nowNanos;
        leftOut = 0;
        return remark;
    }

    /** Null where it names no URI that could have been subscribed to. */
    private @Nullable Notice updated(@Nullable RawJson params) {
        if (params == null || params.size() > MAX_UPDATE_BYTES) {
            return null;
        }
        try {
            var uri = Json.read(params, Updated.class).uri();
            if (uri == null || uri.length() > ServerRequest.MAX_SUBSCRIBED_BYTES) {
                return null;
            }
            int size = uri.getBytes(StandardCharsets.UTF_8).length;
            return size > ServerRequest.MAX_SUBSCRIBED_BYTES
                    ? null
                    : new Notice(
                            "updated " + uri,
                            size,
                            dropped -> new ResourceUpdated(mask.apply(uri), dropped));
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    private static Notice changed(String list) {
        return new Notice("changed " + list, 0, dropped -> new ListChanged(list, dropped));
    }

    private @Nullable Notice other(String method, @Nullable RawJson params) {
        if (method.length() > MAX_METHOD_BYTES) {
            return null;
        }
        var kept = params == null ? null : bounded(params);
        int size = method.length() + (kept == null ? 0 : kept.size());
        return new Notice(
                "other " + method,
                size,
                dropped -> new Notification(mask.apply(method), masked(kept), dropped));
    }

    private static RawJson bounded(RawJson params) {
        return params.size() <= Notification.MAX_PARAMS_BYTES ? params : omitted(params);
    }

    private static RawJson omitted(RawJson params) {
        return RawJson.of("{\"omitted_bytes\":" + params.size() + "}");
    }

    private @Nullable RawJson masked(@Nullable RawJson params) {
        try {
            return params == null ? null : MaskedJson.of(params, mask);
        } catch (InvalidRecordException e) {
            return omitted(params); // Nested deeper than is read.
        }
    }
}
