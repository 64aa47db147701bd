package dev.perigee.gateway.partition;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Wakes owners in time, one thread for all of them: an owner that waited for a time itself would
 * cost the JVM an entry and a wakeup for each of its waits. The thread ends when nothing is due for
 * a while. Any thread may call.
 */
final class Alarm {
    private static final int KEEP_SECONDS = 10;

    private final ScheduledThreadPoolExecutor due;

    Alarm() {
        due =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name("partition-alarm").daemon().factory());
        due.setKeepAliveTime(KEEP_SECONDS, TimeUnit.SECONDS);
        due.allowCoreThreadTimeOut(true);
    }

    /**
     * Does it later, once.
     *
     * @param what must not wait
     */
    void after(long nanos, Runnable what) {
        var _ = due.schedule(what, nanos, TimeUnit.NANOSECONDS);
    }
}
