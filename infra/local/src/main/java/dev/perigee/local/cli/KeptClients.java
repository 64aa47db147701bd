package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Clients that stay connected from one call to the next: at most two, with events and without, to
 * the brokers of the last call. One whose call had no answer is closed, and so is one that no call
 * used for a time, since it reads everybody's answers meanwhile. For one thread.
 */
final class KeptClients implements CallClients, AutoCloseable {
    private static final Duration UNUSED = Duration.ofSeconds(30);

    private final Duration unused;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("perigee-kept-clients").factory());
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Boolean, Kept> byEvents = new HashMap<>();
    private @Nullable KafkaConnection connected;

    /**
     * A client.
     *
     * @param since when its last call ended, by the clock of nanoseconds; null during one
     */
    private record Kept(PerigeeClient client, @Nullable Long since) {}

    KeptClients() {
        this(UNUSED);
    }

    /** With another time after which an unused one is closed. */
    KeptClients(Duration unused) {
        this.unused = unused;
    }

    @Override
    public PerigeeClient open(KafkaConnection connection, boolean events) {
        boolean elsewhere = !connection.equals(connected);
        // Also what the timer was late for: a process that was suspended is behind.
        close(kept -> elsewhere || isUnused(kept) || !kept.client().isOpen());
        connected = connection;
        lock.lock();
        try {
            var kept = byEvents.get(events);
            var client = kept == null ? ONE_EACH.open(connection, events) : kept.client();
            byEvents.put(events, new Kept(client, null));
            return client;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void done(PerigeeClient client, boolean answered) {
        if (!answered) {
            close(kept -> kept.client() == client);
            return;
        }
        lock.lock();
        try {
            byEvents.replaceAll(
                    (_, kept) ->
                            kept.client() == client ? new Kept(client, System.nanoTime()) : kept);
        } finally {
            lock.unlock();
        }
        var _ = timer.schedule(() -> close(this::isUnused), unused.toNanos(), TimeUnit.NANOSECONDS);
    }

    private boolean isUnused(Kept kept) {
        var since = kept.since();
        return since != null && System.nanoTime() - since >= unused.toNanos();
    }

    private void close(Predicate<Kept> which) {
        List<Kept> closed;
        lock.lock();
        try {
            closed = new ArrayList<>(byEvents.values().stream().filter(which).toList());
            byEvents.values().removeAll(closed);
        } finally {
            lock.unlock();
        }
        closed.forEach(kept -> kept.client().close());
    }

    @Override
    public void close() {
        timer.shutdownNow();
        close(_ -> true);
    }
}
