package dev.perigee.part;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Says what is waited for when it takes longer than a moment, where a person looks on: the launcher
 * tells by a system property whether standard error is a terminal.
 */
public final class Progress implements AutoCloseable {
    public static final String ON_TERMINAL = "perigee.terminal";
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final CountDownLatch done = new CountDownLatch(1);

    private Progress() {}

    /** Begins to wait for something. */
    public static Progress of(String what, Consumer<String> say) {
        var progress = new Progress();
        if (Boolean.getBoolean(ON_TERMINAL)) {
            Thread.ofVirtual().name("progress").start(() -> progress.say(what, say));
        }
        return progress;
    }

    private void say(String what, Consumer<String> say) {
        try {
            if (!done.await(MOMENT.toMillis(), TimeUnit.MILLISECONDS)) {
                say.accept(what + " ...");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** It came: nothing is to be said any more. */
    public void came() {
        done.countDown();
    }

    @Override
    public void close() {
        came();
    }
}
