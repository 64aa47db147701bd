package dev.perigee.worker.process.packages;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Does a piece of work once for all who ask for it at the same time, on a thread of its own. It is
 * cancelled when no caller waits for it any more. Thread-safe.
 */
final class Flights<T> {
    /** What a piece of work that is given up is waited for. */
    private static final Duration GIVING_UP = Duration.ofSeconds(15);

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Flight<T>> flights = new HashMap<>();

    /** Work of a flight; bounds its own time, and ends soon when it is interrupted. */
    interface Work<T> {
        T run() throws PackageException, InterruptedException;
    }

    /**
     * Waits for the work of this key, which is begun unless it is under way.
     *
     * @throws PackageException as the work did
     * @throws InterruptedException while waiting; where nobody else waits, the work has ended then
     */
    T join(String key, Work<T> work) throws PackageException, InterruptedException {
        var flight = board(key, work);
        boolean landed = false;
        try {
            flight.ended.await(); // The work bounds its own time.
            landed = true;
        } finally {
            leave(key, flight, landed);
        }
        return flight.outcome();
    }

    private Flight<T> board(String key, Work<T> work) {
        lock.lock();
        try {
            var flight = flights.get(key);
            if (flight == null) {
                flight = new Flight<>(key, work);
                flights.put(key, flight);
                flight.thread.start();
            }
            flight.waiting++;
            return flight;
        } finally {
            lock.unlock();
        }
    }

    private void leave(String key, Flight<T> flight, boolean landed) throws InterruptedException {
        boolean last;
        lock.lock();
        try {
            last = --flight.waiting == 0;
            if (landed || last) {
                flights.remove(key, flight);
            }
        } finally {
            lock.unlock();
        }
        if (last && !landed) {
            flight.thread.interrupt();
            var _ = flight.thread.join(GIVING_UP);
        }
    }

    private static final class Flight<T> implements Runnable {
        private final Work<T> work;
        private final Thread thread;
        private final CountDownLatch ended = new CountDownLatch(1);
        private int waiting;
        private @Nullable T value;
        private @Nullable Exception failure;

        Flight(String key, Work<T> work) {
            this.work = work;
            this.thread = Thread.ofVirtual().name("package-" + key).unstarted(this);
        }

        @Override
        public void run() {
            try {
                value = work.run();
            } catch (PackageException | InterruptedException | RuntimeException e) {
                failure = e;
            } finally {
                ended.countDown();
            }
        }

        /** After the end. */
        T outcome() throws PackageException {
            if (value != null) {
                return value;
            }
            if (failure instanceof PackageException expected) {
                throw new PackageException(
                        String.valueOf(expected.getMessage()), expected.getCause());
            }
            throw new IllegalStateException("The preparation of a package failed", failure);
        }
    }
}
