package dev.perigee.part;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one part in this JVM until the part cannot go on or the JVM is told to end, then closes the
 * part within its deadline.
 *
 * <p>A part started by a fleet also ends when its standard input does: that is how the fleet asks
 * it to, and it does not outlive a fleet that was killed.
 */
public final class Foreground {
    private static final Logger log = LoggerFactory.getLogger(Foreground.class);

    private final String name;
    private final Consumer<ReadyLine> ready;
    private volatile boolean closing;

    /**
     * @param ready prints the line that says that the part is ready
     */
    public Foreground(String name, Consumer<ReadyLine> ready) {
        this.name = name;
        this.ready = ready;
    }

    /**
     * Says that the part is ready and waits. Returns when the part could not go on; the JVM should
     * then be ended with an error.
     */
    public void run(RunningPart part) throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(part), "stop-" + name));
        ready.accept(new ReadyLine(name, ProcessHandle.current().pid(), part.addresses()));
        part.awaitEnd();
        if (closing) {
            // The end that was asked for: the JVM goes when the part is closed.
            new CountDownLatch(1).await();
        }
    }

    /** Ends this JVM when the stream ends. */
    public void endWith(InputStream input) {
        Thread.ofPlatform()
                .name("end-with-fleet")
                .daemon()
                .start(
                        () -> {
                            try {
                                input.transferTo(OutputStream.nullOutputStream());
                            } catch (IOException e) {
                                log.atDebug().setCause(e).log("Standard input failed");
                            }
                            log.info("The fleet ends, stopping");
                            Runtime.getRuntime().exit(0);
                        });
    }

    private void close(RunningPart part) {
        closing = true;
        var closer = Thread.ofPlatform().name("close-" + name).daemon().start(part::close);
        try {
            if (!closer.join(part.closeDeadline())) {
                log.atError()
                        .addKeyValue("deadline_seconds", part.closeDeadline().toSeconds())
                        .log("Not stopped in time, giving up");
                Runtime.getRuntime().halt(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
