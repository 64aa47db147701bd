package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.CallLog;
import dev.perigee.protocol.event.EventBody.CallProgress;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.protocol.tool.LogLevel;
import dev.perigee.worker.instance.CallNotices.Progress;
import dev.perigee.worker.log.MaskedJson;
import dev.perigee.worker.log.ServerMessage;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reporter of one running call, of what its request accepts. Progress is published at once, then
 * the newest in each {@link #PAUSE}, and what is left before the result; each report extends the
 * deadline, also those that are not published. Nothing is published after {@link #end}. Safe for
 * use by any thread; never blocks.
 */
final class CallReporter implements CallNotices.Listener {
    /** Between two progress events of a call. */
    static final Duration PAUSE = Duration.ofMillis(250);

    private final ToolOrder.Execute order;
    private final @Nullable Long progressToken;
    private final Outlet outlet;
    private final CallNotices notices;
    private final ScheduledExecutorService timers;
    private final @Nullable LogLevel least;
    private @Nullable CallProgress newest;
    private long nextNanos = System.nanoTime();
    private boolean scheduled;
    private long dropped;
    private boolean ended;

    /** Where reports go. */
    interface Outlet {
        /** An event of the call; must not block. */
        void event(EventBody body);

        /** The server works on the call. */
        void alive();

        /** The text without secrets. */
        String masked(String text);
    }

    CallReporter(
            ToolOrder.Execute order,
            @Nullable Long progressToken,
            Outlet outlet,
            CallNotices notices,
            ScheduledExecutorService timers) {
        this.order = order;
        this.progressToken = progressToken;
        this.outlet = outlet;
        this.notices = notices;
        this.timers = timers;
        var level = order.request().logLevel();
        this.least = level == null ? null : LogLevel.of(level);
    }

    @Override
    public @Nullable Long progressToken() {
        return progressToken;
    }

    @Override
    public boolean acceptsMessages() {
        return order.request().accepts(CallPart.LOG);
    }

    @Override
    public void progressed(Progress progress) {
        outlet.alive();
        var request = order.request();
        var message = progress.message();
        var body =
                new CallProgress(
                        request.requestId(),
                        request.toolPath(),
                        progress.progress(),
                        progress.total(),
                        message == null ? null : shortened(message));
        synchronized (this) {
            if (ended) {
                return;
            }
            newest = body;
            if (scheduled) {
                return;
            }
            long wait = nextNanos - System.nanoTime();
            if (wait <= 0 && notices.admitsProgress()) {
                publishNewest();
            } else {
                schedule(wait);
            }
        }
    }

    /** Masked before it is cut, so that no part of a secret is left. */
    private String shortened(String message) {
        int most = CallProgress.MAX_MESSAGE_CHARACTERS;
        var bounded = message.substring(0, Math.min(message.length(), 8 * most));
        var masked = outlet.masked(bounded);
        return masked.length() <= most ? masked : masked.substring(0, most - 1) + '…';
    }

    /** Under the lock. */
    private void schedule(long waitNanos) {
        try {
            var _ =
                    timers.schedule(
                            this::due,
                            waitNanos > 0 ? waitNanos : PAUSE.toNanos(),
                            TimeUnit.NANOSECONDS);
            scheduled = true;
        } catch (RejectedExecutionException e) {
            // The worker is stopping: the newest goes out before the result.
        }
    }

    private synchronized void due() {
        scheduled = false;
        if (ended || newest == null) {
            return;
        }
        if (notices.admitsProgress()) {
            publishNewest();
        } else {
            schedule(0);
        }
    }

    /** Under the lock. */
    private void publishNewest() {
        var body = newest;
        newest = null;
        nextNanos = System.nanoTime() + PAUSE.toNanos();
        if (body != null) {
            outlet.event(body);
        }
    }

    @Override
    public boolean wants(LogLevel level) {
        return least == null || level.compareTo(least) >= 0;
    }

    @Override
    public void said(ServerMessage message) {
        var said = message.data();
        var data = said == null ? null : data(said);
        var logger = message.logger();
        var request = order.request();
        synchronized (this) {
            if (!ended) {
                var before = dropped == 0 ? null : (Long) dropped;
                dropped = 0;
                outlet.event(
                        new CallLog(
                                request.requestId(),
                                request.toolPath(),
                                message.level().wireName(),
                                logger == null ? null : outlet.masked(logger),
                                data,
                                before));
            }
        }
    }

    private RawJson data(RawJson data) {
        if (data.size() <= CallLog.MAX_DATA_BYTES) {
            try {
                return MaskedJson.of(data, outlet::masked);
            } catch (InvalidRecordException e) {
                // Nested deeper than is read: its size, as of what is too large.
            }
        }
        return RawJson.of("{\"omitted_bytes\":" + data.size() + "}");
    }

    @Override
    public synchronized void dropped() {
        dropped++;
    }

    /** The call is about to have its result: the newest progress goes before that. */
    synchronized void end() {
        if (!ended) {
            publishNewest();
            ended = true;
        }
    }
}
