package dev.perigee.worker.mcp;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * When requests are given up: one thread for those of all clients, which ends when there are none
 * for a while. A virtual thread that waits for a time itself costs the JVM two wakeups of its timer
 * thread for each wait, however far the time is; here an entry costs none until it is due.
 */
final class RequestDeadlines {
    private static final int KEEP_SECONDS = 10;
    private static final ScheduledThreadPoolExecutor DUE = executor();

    private RequestDeadlines() {}

    private static ScheduledThreadPoolExecutor executor() {
        var executor =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name("request-deadlines").daemon().factory());
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(KEEP_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /**
     * Does it later, once, unless it is cancelled.
     *
     * @param what must not wait
     */
    static Future<?> after(long nanos, Runnable what) {
        return DUE.schedule(what, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }
}
