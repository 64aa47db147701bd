package dev.perigee.local.connect;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.local.connect.DoorTokens.Holder;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
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
    private final Consumer<String> note;
    private final BiConsumer<DoorUser, RuntimeException> failed;
    private final CompletableFuture<Offer> first = new CompletableFuture<>();
    private final Set<SessionThread> sessions = new HashSet<>();
    private @Nullable Offer offer;
    private @Nullable CatalogueFeed feed;
    private boolean over;
    private long usedAt = System.nanoTime();

    /**
     * Whose servers they are.
     *
     * @param server the slug of the one that is named; null for all
     */
    record Key(Holder holder, @Nullable String server) {}

    /**
     * A user whose catalogue is not read yet.
     *
     * @param failed called when it cannot be read any more
     */
    DoorUser(
            Key key,
            ConnectOptions options,
            Consumer<String> note,
            BiConsumer<DoorUser, RuntimeException> failed) {
        this.key = key;
        this.options = options;
        this.note = note;
        this.failed = failed;
    }

    Key key() {
        return key;
    }

    ConnectOptions options() {
        return options;
    }

    /** Begins to read, on a thread that waits for brokers. */
    void start(KafkaConnection kafka, PerigeeClient client) {
        Thread.ofVirtual().name("perigee-door-open").start(() -> open(kafka, client));
    }

    private void open(KafkaConnection kafka, PerigeeClient client) {
        try {
            var opened = CatalogueFeed.open(kafka, options, client, this::take, note);
            if (!keep(opened)) {
                opened.close();
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private synchronized boolean keep(CatalogueFeed opened) {
        if (over) {
            return false;
        }
        feed = opened;
        opened.start();
        return true;
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
            sessions.forEach(each -> each.offer(now));
        }
        first.complete(now);
    }

    private void fail(RuntimeException why) {
        first.completeExceptionally(why);
        failed.accept(this, why);
    }

    /**
     * The tools there are, as soon as they are known.
     *
     * @throws DoorRefusedException when they are not known in time
     */
    Offer awaitOffer() throws InterruptedException {
        use();
        try {
            var begun = first.get(FIRST.toNanos(), TimeUnit.NANOSECONDS);
            synchronized (this) {
                return offer == null ? begun : offer;
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
        usedAt = System.nanoTime();
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

    /** Keeps it from being given up for a while. */
    synchronized void use() {
        usedAt = System.nanoTime();
    }

    /** Whether nobody has used it for so long. */
    synchronized boolean isIdle(Duration since) {
        return sessions.isEmpty() && System.nanoTime() - usedAt > since.toNanos();
    }

    /** Ends its sessions and stops to read; waits for neither. */
    void close() {
        CatalogueFeed open;
        List<SessionThread> all;
        synchronized (this) {
            over = true;
            open = feed;
            all = List.copyOf(sessions);
        }
        all.forEach(SessionThread::end);
        if (open != null) {
            Thread.ofVirtual().name("perigee-door-close").start(open::close);
        }
    }
}
