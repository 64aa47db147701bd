package dev.perigee.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoadDriverTest {
    private static final long LOOK_NANOS = 10_000;
    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final Duration STALL = Duration.ofMinutes(1);

    /** The clock: each reading takes it on by a moment, and a test by any time. */
    private final AtomicLong nanos = new AtomicLong();

    private LoadDriver driver(EchoPath path) {
        return new LoadDriver(path, STALL, () -> nanos.addAndGet(LOOK_NANOS));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void keepsExactlyTheAskedNumberInFlight() throws Exception {
        var answers = new FullQueue(3);
        var run = CompletableFuture.supplyAsync(() -> run(driver(answers), new Load.InFlight(3)));

        // At the end fewer than three are under way, and the queue is never full again.
        await().until(
                        () -> {
                            answers.answerAll();
                            return run.isDone();
                        });

        var measured = run.get();
        assertThat(answers.most).isEqualTo(3);
        assertThat(measured.calls()).isEqualTo(answers.sent);
        assertThat(measured.perSecond()).isPositive();
        assertThat(measured.p99Millis()).isGreaterThanOrEqualTo(measured.p50Millis());
    }

    private static Latencies run(LoadDriver driver, Load load) {
        try {
            return driver.run(load, MOMENT);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aStallOfAClosedLoopCountsForTheCallsItKeptFromBeingSent() throws InterruptedException {
        var path =
                new EchoPath() {
                    private int sent;

                    @Override
                    public void send(Answer answer) {
                        if (++sent == 1000) {
                            pass(MOMENT);
                        }
                        answer.arrived();
                    }
                };

        var measured = driver(path).run(new Load.InFlight(1), MOMENT);

        // One slow call of a thousand or more: what was sent hides it, users would have met it.
        assertThat(measured.uncorrectedP99Millis()).isLessThan(50);
        assertThat(measured.p99Millis()).isGreaterThan(50);
    }

    @Test
    void anOpenLoopCountsFromWhenACallWasDue() throws InterruptedException {
        var path =
                new EchoPath() {
                    private int sent;

                    @Override
                    public void send(Answer answer) {
                        if (++sent == 1) {
                            pass(MOMENT);
                        }
                        answer.arrived();
                    }
                };

        var measured = driver(path).run(new Load.Rate(1000), MOMENT);

        // All are due while the first one blocks the sender.
        assertThat(measured.calls()).isEqualTo(200);
        assertThat(measured.p50Millis()).isGreaterThan(50);
    }

    @Test
    void aLostAnswerIsReportedAndNotWaitedForForever() {
        EchoPath lossy = _ -> {};
        var driver = new LoadDriver(lossy, Duration.ofMillis(50));

        assertThatThrownBy(() -> driver.run(new Load.InFlight(1), MOMENT))
                .hasMessageContaining("lost a call");
    }

    @Test
    void aFailedCallEndsTheRunWithItsReason() {
        EchoPath failing = answer -> answer.failed("no such tool");
        var driver = new LoadDriver(failing, STALL);

        assertThatThrownBy(() -> driver.run(new Load.InFlight(1), MOMENT))
                .hasMessageContaining("no such tool");
    }

    /** Answers once as many are in flight as it waits for. */
    private static final class FullQueue implements EchoPath {
        private final int full;
        private final Queue<Answer> waiting = new ArrayDeque<>();
        private int most;
        private int sent;

        FullQueue(int full) {
            this.full = full;
        }

        @Override
        public synchronized void send(Answer answer) {
            waiting.add(answer);
            sent++;
            most = Math.max(most, waiting.size());
            if (waiting.size() == full) {
                answerAll();
            }
        }

        synchronized void answerAll() {
            while (!waiting.isEmpty()) {
                waiting.remove().arrived();
            }
        }
    }
}
