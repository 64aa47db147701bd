package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RequestDeadlinesTest {
    private final RequestDeadlines deadlines = new RequestDeadlines();
    private final LinkedBlockingQueue<String> done = new LinkedBlockingQueue<>();

    @Test
    void doesWhatIsDueInItsOrderAndNotBefore() throws InterruptedException {
        long begin = System.nanoTime();
        later(4000, "last");
        later(10, "first");
        later(1000, "second");

        assertThat(List.of(next(), next(), next())).containsExactly("first", "second", "last");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(millis(4000));
        assertThat(deadlines.size()).isZero();
    }

    @Test
    void doesNotWhatWasCancelled() throws InterruptedException {
        var cancelled = later(3000, "cancelled");
        later(3200, "other");
        cancelled.cancel();
        cancelled.cancel();

        assertThat(next()).isEqualTo("other");
        assertThat(done).isEmpty();
    }

    @Test
    void keepsNothingOfWhatWasCancelled() {
        for (int i = 0; i < 1000; i++) {
            later(60_000 + i, "cancelled").cancel();
        }

        assertThat(deadlines.size()).isZero();
    }

    @Test
    void isToldOfWhatComesSoonerThanAllBefore() throws InterruptedException {
        later(3_600_000, "far");
        later(20, "near");

        assertThat(next()).isEqualTo("near");
    }

    @Test
    void goesOnAfterAFailure() throws InterruptedException {
        deadlines.after(
                millis(1),
                () -> {
                    throw new IllegalStateException("as a test wants it");
                });
        later(20, "next");

        assertThat(next()).isEqualTo("next");
    }

    @Test
    void letsWhatIsDueAddMoreAndCancelOthers() throws InterruptedException {
        var other = later(2000, "cancelled");
        var ran = new CountDownLatch(1);
        deadlines.after(
                millis(10),
                () -> {
                    other.cancel();
                    later(10, "more");
                    ran.countDown();
                });

        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(next()).isEqualTo("more");
        assertThat(deadlines.size()).isZero();
    }

    private RequestDeadlines.Deadline later(long millis, String what) {
        return deadlines.after(millis(millis), () -> done.add(what));
    }

    private String next() throws InterruptedException {
        return done.poll(30, TimeUnit.SECONDS);
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }
}
