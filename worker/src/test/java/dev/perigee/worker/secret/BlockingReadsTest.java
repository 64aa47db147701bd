package dev.perigee.worker.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("OPS-13: reads that a file system may hold up")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BlockingReadsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final BlockingReads reads = new BlockingReads(2);
    private final CountDownLatch hanging = new CountDownLatch(2);
    private final CountDownLatch back = new CountDownLatch(1);

    private static long in(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    /** As a share whose server is away: it takes no notice of an interrupt. */
    private String hang() {
        hanging.countDown();
        boolean interrupted = false;
        while (back.getCount() > 0) {
            try {
                back.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return "late";
    }

    @Test
    @DisplayName("hold up who asks until the deadline, on no carrier thread, and nobody else")
    void givenUpAtTheDeadline() throws Exception {
        assertThatThrownBy(() -> reads.read(this::hang, in(Duration.ofMillis(50))))
                .isInstanceOf(TimeoutException.class);

        boolean virtual = reads.read(() -> Thread.currentThread().isVirtual(), in(PATIENCE));
        assertThat(virtual).isFalse();

        // Two, since the first may have been given up before it had a thread.
        try (var others = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int other = 0; other < 2; other++) {
                var _ = others.submit(() -> reads.read(this::hang, in(PATIENCE)));
            }
            assertThat(hanging.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> reads.read(() -> "no thread", in(Duration.ofMillis(50))))
                    .isInstanceOf(TimeoutException.class);
            back.countDown();
        }
        await().atMost(PATIENCE)
                .untilAsserted(
                        () ->
                                assertThat(reads.read(() -> "again", in(PATIENCE)))
                                        .isEqualTo("again"));
    }

    @Test
    @DisplayName("fail with what the read failed with")
    void failures() {
        assertThatThrownBy(
                        () ->
                                reads.read(
                                        () -> {
                                            throw new IOException("no disk");
                                        },
                                        in(PATIENCE)))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(
                        () ->
                                reads.read(
                                        () -> {
                                            throw new SecretException("key", "why");
                                        },
                                        in(PATIENCE)))
                .isInstanceOf(SecretException.class)
                .hasMessageContaining("'key'");
    }
}
