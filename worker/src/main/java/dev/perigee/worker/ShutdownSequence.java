package dev.perigee.worker;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shutdown sequence: stops the parts that were started, in reverse order, each whether or not
 * others failed to stop. Thread-safe.
 */
final class ShutdownSequence {
    private static final Logger log = LoggerFactory.getLogger(ShutdownSequence.class);

    /** Stops one part. */
    @FunctionalInterface
    interface Stop {
        void run() throws InterruptedException;
    }

    private record StartedPart(String name, Stop stop) {}

    private final ArrayDeque<StartedPart> started = new ArrayDeque<>();

    /** Adds a part that was started. */
    synchronized void add(String name, Stop stop) {
        started.push(new StartedPart(name, stop));
    }

    /** Stops everything that was not stopped yet. */
    synchronized void stopAll() {
        boolean interrupted = false;
        while (!started.isEmpty()) {
            var last = started.pop();
            try {
                last.stop().run();
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (RuntimeException e) {
                log.atError()
                        .addKeyValue("part", last.name())
                        .setCause(e)
                        .log("A part of the worker failed to stop");
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
