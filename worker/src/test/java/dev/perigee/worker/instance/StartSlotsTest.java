package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class StartSlotsTest {
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);
    private final AtomicInteger starting = new AtomicInteger();
    private final AtomicInteger started = new AtomicInteger();
    private final CountDownLatch go = new CountDownLatch(1);

    @AfterEach
    void end() {
        timers.shutdownNow();
    }

    @Test
    @DisplayName("however many are restored at once, so many start at a time, and all of them do")
    void boundsStarts() {
        var slots = new StartSlots(4, Duration.ofMinutes(1), timers);
        for (int i = 0; i < 500; i++) {
            Thread.startVirtualThread(() -> start(slots));
        }

        await().until(() -> starting.get() == 4);
        await().during(Duration.ofMillis(200)).until(() -> starting.get() == 4);
        go.countDown();

        await().until(() -> started.get() == 500);
    }

    @Test
    @DisplayName("a start that is slow counts for a while only")
    void holdsNobodyUp() {
        var slots = new StartSlots(1, Duration.ofMillis(50), timers);
        Thread.startVirtualThread(() -> start(slots));
        Thread.startVirtualThread(() -> start(slots));

        await().until(() -> starting.get() == 2);
        go.countDown();

        await().until(() -> started.get() == 2);
    }

    private void start(StartSlots slots) {
        try (var slot = slots.acquire(new StartQueue.Owner("t1", "u1"), () -> false)) {
            assertThat(slot).isNotNull();
            starting.incrementAndGet();
            go.await();
            started.incrementAndGet();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
