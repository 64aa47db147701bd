package dev.perigee.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
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
                    public void send(long id, Runnable answered) {}

                    @Override
                    public void close() {}
                };
        assertThatThrownBy(() -> new LoadDriver(lossy).run(1, 2, Duration.ofMillis(50)))
                .hasMessageContaining("lost a call");
    }

    /** Answers the oldest call only once as many are in flight as it is asked to wait for. */
    private static final class FullQueue implements EchoPath {
        private final int full;
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private final AtomicInteger most = new AtomicInteger();
        private final AtomicInteger sent = new AtomicInteger();

        FullQueue(int full) {
            this.full = full;
        }

        @Override
        public void send(long id, Runnable answered) {
            waiting.add(answered);
            most.accumulateAndGet(waiting.size(), Math::max);
            int count = sent.incrementAndGet();
            if (waiting.size() == full || count == 300) {
                while (!waiting.isEmpty() && (count == 300 || waiting.size() == full)) {
                    waiting.remove().run();
                }
            }
        }

        @Override
        public void close() {}
    }
}
