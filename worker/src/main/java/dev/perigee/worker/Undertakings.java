package dev.perigee.worker;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was started and how it is stopped: in reverse order, each whatever became of the others. */
final class Undertakings {
    private static final Logger log = LoggerFactory.getLogger(Undertakings.class);

    /** Stops one thing. */
    @FunctionalInterface
    interface Stop {
        void run() throws InterruptedException;
    }

    private record Undertaking(String name, Stop stop) {}

    private final ArrayDeque<Undertaking> started = new ArrayDeque<>();

    /** Something was started. */
    synchronized void add(String name, Stop stop) {
        started.push(new Undertaking(name, stop));
    }

    /** Something was started that is to be stopped after all that was started before it. */
    synchronized void addFirst(String name, Stop stop) {
        started.addLast(new Undertaking(name, stop));
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
                        .log("A part did not stop cleanly");
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
