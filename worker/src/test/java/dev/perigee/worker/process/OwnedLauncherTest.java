package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Launches real programs as a worker does. */
final class OwnedLauncherTest {
    private static final int PATIENCE_SECONDS = 60;
    private static final Duration LONG = Duration.ofMinutes(5);

    private final CountDownLatch released = new CountDownLatch(1);
    private final CompletableFuture<Boolean> releasedBefore = new CompletableFuture<>();

    /** Waits a moment for what must not come before it returns. */
    private final class Listener implements ChildListener {
        @Override
        public void onStdout(ByteBuffer bytes) {}

        @Override
        public void onStderr(ByteBuffer bytes) {}

        @Override
        public void onExit(ExitStatus status) {
            try {
                releasedBefore.complete(released.await(300, TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
                releasedBefore.completeExceptionally(e);
            }
        }

        @Override
        public void onClosed() {}
    }

    @Test
    @DisplayName("OPS-07: a jail's group is there until the exit was told, which reads its counts")
    void releasesAfterTheExit() throws Exception {
        var owner = new ProcessOwner("owned-test-" + UUID.randomUUID(), "first");
        try (var launcher = ProcessLaunchers.create(LauncherOptions.defaults());
                var watchdog = Watchdog.start(owner, LONG, launcher, () -> {})) {
            var owned =
                    new OwnedLauncher(
                            launcher, owner, watchdog, new Termination(), Duration.ofSeconds(1));

            var _ =
                    owned.launch(
                            new LaunchSpec(
                                    List.of("true"),
                                    Map.of("PATH", "/usr/bin:/bin"),
                                    null,
                                    released::countDown),
                            new Listener());

            assertThat(releasedBefore.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isFalse();
            assertThat(released.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }
}
