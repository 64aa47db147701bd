package dev.perigee.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoadDriverTest {
    @Test
    void keepsExactlyTheAskedNumberInFlight() throws InterruptedException {
        var answers = new FullQueue(3);

        var measured = new LoadDriver(answers).run(3, 300, Duration.ofSeconds(5));

        assertThat(answers.most.get()).isEqualTo(3);
        assertThat(answers.sent.get()).isEqualTo(300);
        assertThat(measured.perSecond()).isPositive();
        assertThat(measured.p99Millis()).isGreaterThanOrEqualTo(measured.p50Millis());
    }

    @Test
    void aLostAnswerIsReportedAndNotWaitedForForever() {
        var lossy =
                new EchoPath() {
                    @Override
                    public void send(long id, Answer answer) {}

                    @Override
                    public void close() {}
                };
        assertThatThrownBy(() -> new LoadDriver(lossy).run(1, 2, Duration.ofMillis(50)))
                .hasMessageContaining("lost a call");
    }

    @Test
    void aFailedCallEndsTheRunWithItsReason() {
        var failing =
                new EchoPath() {
                    @Override
                    public void send(long id, Answer answer) {
                        answer.failed("no such tool");
                    }

                    @Override
                    public void close() {}
                };
        assertThatThrownBy(() -> new LoadDriver(failing).run(1, 2, Duration.ofSeconds(5)))
                .hasMessageContaining("no such tool");
    }

    @Test
    void noIdIsUsedTwiceOnAPath() throws InterruptedException {
        var ids = new ArrayList<Long>();
        var path =
                new EchoPath() {
                    @Override
                    public void send(long id, Answer answer) {
                        ids.add(id);
                        answer.arrived();
                    }

                    @Override
                    public void close() {}
                };
        var driver = new LoadDriver(path);

        driver.run(1, 10, Duration.ofSeconds(5));
        driver.run(2, 10, Duration.ofSeconds(5));

        assertThat(ids).hasSize(20).doesNotHaveDuplicates();
    }

    /** Answers the oldest call only once as many are in flight as it is asked to wait for. */
    private static final class FullQueue implements EchoPath {
        private final int full;
        private final Queue<Answer> waiting = new ArrayDeque<>();
        private final AtomicInteger most = new AtomicInteger();
        private final AtomicInteger sent = new AtomicInteger();

        FullQueue(int full) {
            this.full = full;
        }

        @Override
        public void send(long id, Answer answer) {
            waiting.add(answer);
            most.accumulateAndGet(waiting.size(), Math::max);
            int count = sent.incrementAndGet();
            if (waiting.size() == full || count == 300) {
                while (!waiting.isEmpty() && (count == 300 || waiting.size() == full)) {
                    waiting.remove().arrived();
                }
            }
        }

        @Override
        public void close() {}
    }
}
