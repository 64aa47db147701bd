package dev.perigee.local.connect;

import dev.perigee.local.connect.DoorTokens.Holder;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Servers of one user, or the one that is named, as a door offers them: follows the catalogue for
 * all sessions and calls of the user. Safe for use by any thread.
 */
final class DoorUser {
    private static final int UNAVAILABLE = 503;

    /** How long a request may wait for the catalogue. */
    private static final Duration FIRST = CatalogueFeed.PATIENCE.plusSeconds(15);

    private final Key key;
    private final ConnectOptions options;
    private final Opener opener;
    private final Duration again;
    private final Consumer<String> note;
    private final Set<SessionThread> sessions = new HashSet<>();
    private CompletableFuture<Offer> first = new CompletableFuture<>();
    private @Nullable Offer offer;
    private @Nullable AutoCloseable feed;
    private boolean begun;
    private boolean failing;
    private boolean over;
    private long usedAt = System.nanoTime();

    /**
     * Whose servers they are.
     *
     * @param server the slug of the one that is named; null for all
     */
    record Key(Holder holder, @Nullable String server) {}

    /** Opener of the catalogue. */
    interface Opener {
        /** Has it read into the sink until it is closed; waits for brokers. */
        AutoCloseable open(CatalogueFeed.Sink sink);
    }

    /**
     * A user whose catalogue is read from the first {@link #use} on.
     *
     * @param again how long after a failure the catalogue is read anew
     * @param note takes what only a person can act on, and no secrets; for any thread
     */
    DoorUser(
            Key key, ConnectOptions options, Opener opener, Duration again, Consumer<String> note) {
        this.key = key;
        this.options = options;
        this.opener = opener;
        this.again = again;
        this.note = note;
    }

    Key key() {
        return key;
    }

    ConnectOptions options() {
        return options;
    }

    private void open() {
        try {
            keep(opener.open(this::take));
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void keep(AutoCloseable opened) {
        boolean isLate;
        synchronized (this) {
            isLate = over;
            feed = opened;
        }
        if (isLate) {
            close(opened);
        }
    }

    private void close(AutoCloseable opened) {
        try {
            opened.close();
        } catch (Exception e) {
            note.accept("The catalogue's reader does not close: " + e.getClass().getSimpleName());
        }
    }

    private void take(Input input) {
        switch (input) {
            case Input.Offered(var now) -> offered(now);
            case Input.Failed(var why) -> fail(why);
            default -> {} // A catalogue says nothing else.
        }
    }

    private void offered(Offer now) {
        synchronized (this) {
            offer = now;
            failing = false;
            sessions.forEach(each -> each.offer(now));
            first.complete(now);
        }
    }

    /** Ends the waits for the first offer; who has one goes on with it. */
    private void fail(RuntimeException why) {
        boolean isNews;
        synchronized (this) {
            if (over) {
                return;
            }
            isNews = !failing;
            failing = true;
            if (first.completeExceptionally(why)) {
                first = new CompletableFuture<>();
            }
        }
        if (isNews) {
            note.accept("The catalogue cannot be read at present: " + why.getMessage());
        }
        CompletableFuture.delayedExecutor(
                        again.toMillis(), TimeUnit.MILLISECONDS, DoorUser::onItsThread)
                .execute(this::open);
    }

    private static void onItsThread(Runnable open) {
        Thread.ofVirtual().name("perigee-door-open").start(open);
    }

    /**
     * The tools there are, as soon as they are known.
     *
     * @throws DoorRefusedException when they are not known in time
     */
    Offer awaitOffer() throws InterruptedException {
        CompletableFuture<Offer> waited;
        synchronized (this) {
            waited = first;
        }
        try {
            var read = waited.get(FIRST.toNanos(), TimeUnit.NANOSECONDS);
            synchronized (this) {
                return offer == null ? read : offer;
            }
        } catch (ExecutionException | TimeoutException e) {
            throw unavailable();
        }
    }

    private static DoorRefusedException unavailable() {
        return new DoorRefusedException(
                UNAVAILABLE,
                null,
                Messages.INTERNAL_ERROR,
                "The fleet's topics cannot be read at present: try again later");
    }

    /** A session that is told what tools there are, now and later. */
    synchronized void join(SessionThread session) {
        if (over) {
            throw unavailable();
        }
        use();
        sessions.add(session);
        var now = offer;
        if (now != null) {
            session.offer(now);
        }
    }

    synchronized void leave(SessionThread session) {
        usedAt = System.nanoTime();
        sessions.remove(session);
    }

    /**
     * Keeps it from being given up for a while, and begins to read at the first time.
     *
     * @return false where it has ended
     */
    synchronized boolean use() {
        if (over) {
            return false;
        }
        usedAt = System.nanoTime();
        if (!begun) {
            begun = true;
            onItsThread(this::open);
        }
        return true;
    }

    /** Ends it where nobody has used it for so long; {@link #close} does the rest. */
    synchronized boolean endIfIdle(Duration since) {
        if (!sessions.isEmpty() || System.nanoTime() - usedAt <= since.toNanos()) {
            return false;
        }
        over = true;
        return true;
    }

    /** Ends its sessions and stops to read; waits for neither. */
    void close() {
        AutoCloseable open;
        List<SessionThread> all;
        synchronized (this) {
            over = true;
            open = feed;
            all = List.copyOf(sessions);
        }
        all.forEach(SessionThread::end);
        if (open != null) {
            Thread.ofVirtual().name("perigee-door-close").start(() -> close(open));
        }
    }
}
