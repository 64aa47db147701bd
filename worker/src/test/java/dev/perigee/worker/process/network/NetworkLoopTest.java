package dev.perigee.worker.process.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The loop of all networks")
final class NetworkLoopTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final NetworkLoop loop =
            new NetworkLoop(
                    EgressGuards.of(EgressPolicy.INTERNET),
                    new NetworkLimits(10, 100, Duration.ZERO));
    private final Thread thread = Thread.ofPlatform().daemon().start(loop);

    @AfterEach
    void stop() throws Exception {
        loop.stop();
        assertThat(thread.join(PATIENCE)).isTrue();
    }

    @Test
    @DisplayName("goes on after the trouble of one instance")
    void goesOn() throws Exception {
        loop.execute(
                () -> {
                    throw new IllegalStateException("one instance's, of this test");
                });
        var done = new CountDownLatch(1);
        loop.execute(done::countDown);
        assertThat(done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(loop.hasFailed()).isFalse();
    }

    @Test
    @DisplayName("says so where it cannot go on")
    void fails() throws Exception {
        loop.execute(
                () -> {
                    throw new LinkageError("of this test");
                });
        assertThat(thread.join(PATIENCE)).isTrue();
        assertThat(loop.hasFailed()).isTrue();
    }

    @Test
    @DisplayName("counts what fails, so that it does not come as often as it likes")
    void countsFailures() {
        var pace = new RateLimiter(10, System.nanoTime());
        long before = pace.due();
        var gate =
                new ListeningSocket(
                        loop,
                        -1,
                        pace,
                        () -> {
                            throw new IllegalStateException("of this test");
                        },
                        () -> true);
        assertThatThrownBy(gate::ready).isInstanceOf(IllegalStateException.class);
        assertThat(pace.due()).isGreaterThan(before);
    }
}
