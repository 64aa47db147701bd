package dev.perigee.worker.instance;

import dev.perigee.protocol.json.Json;
import dev.perigee.worker.tool.ServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Resources of an instance's server that its user subscribed to, in the order of the requests. They
 * outlive processes, sessions and workers, as part of the instance's durable state. Bounded by
 * {@link #MAX_URIS}, {@link #MAX_BYTES} in sum, and the longest URI of a {@link ServerRequest},
 * with bytes as the state has them: JSON escapes included. {@link ChangeCredit} bounds how often
 * they change. Safe for use by any thread; only {@link #begin} blocks.
 */
final class Subscriptions {
    static final int MAX_URIS = 100;

    /** Of all URIs together. */
    static final int MAX_BYTES = 32 << 10;

    /** What a change writes besides URIs, with the event that tells of it. */
    private static final int CHANGE_BYTES = 1 << 10;

    private final ChangeCredit credit = new ChangeCredit(System.nanoTime());
    private final Set<String> uris = new LinkedHashSet<>();
    private final ReentrantLock changing = new ReentrantLock();
    private int bytes;
    private int server;

    /** Completed when the newest change is durable. */
    private CompletableFuture<@Nullable Void> kept = CompletableFuture.completedFuture(null);

    /**
     * Waits for the right to change what server and set know, so that both are told in one order;
     * {@link #end} gives it back.
     *
     * @return false when it was not free in time
     */
    boolean begin(Duration patience) throws InterruptedException {
        return changing.tryLock(Math.max(0, patience.toNanos()), TimeUnit.NANOSECONDS);
    }

    void end() {
        changing.unlock();
    }

    synchronized boolean isEmpty() {
        return uris.isEmpty();
    }

    synchronized boolean contains(String uri) {
        return uris.contains(uri);
    }

    synchronized int count() {
        return uris.size();
    }

    synchronized List<String> all() {
        return List.copyOf(uris);
    }

    /** All of them and this one. */
    synchronized List<String> with(String uri) {
        var all = new LinkedHashSet<>(uris);
        all.add(uri);
        return List.copyOf(all);
    }

    /** Whether this one is among them, or may be. */
    synchronized boolean hasRoom(String uri) {
        return uris.contains(uri) || fits(uri);
    }

    /** False when they changed so often that another one has to wait. Giving up may always. */
    synchronized boolean mayAdd() {
        return credit.isLeft(System.nanoTime());
    }

    private boolean fits(String uri) {
        int size = size(uri);
        return size <= ServerRequest.MAX_SUBSCRIBED_BYTES
                && uris.size() < MAX_URIS
                && bytes + size <= MAX_BYTES;
    }

    /** A number of the server that they are of, which changes with it. */
    synchronized int server() {
        return server;
    }

    /**
     * False when it was there, there is no room for it, or they are of another server by now.
     *
     * @param of the {@link #server} that has it
     */
    synchronized boolean add(String uri, int of) {
        if (of != server || uris.contains(uri) || !fits(uri)) {
            return false;
        }
        bytes += size(uri);
        credit.charge(bytes + CHANGE_BYTES);
        return uris.add(uri);
    }

    /** False when it was not there. */
    synchronized boolean remove(String uri) {
        if (!uris.remove(uri)) {
            return false;
        }
        bytes -= size(uri);
        credit.charge(bytes + CHANGE_BYTES);
        return true;
    }

    /** There is a change that is not durable yet; completed when it is. */
    synchronized CompletableFuture<@Nullable Void> keeping() {
        kept = new CompletableFuture<>();
        return kept;
    }

    /** Completed when a later owner will know of the newest change. */
    synchronized CompletableFuture<@Nullable Void> kept() {
        return kept;
    }

    /** As a later owner needs them, null for none. */
    synchronized @Nullable List<String> stored() {
        return uris.isEmpty() ? null : new ArrayList<>(uris);
    }

    /** Forgets all, and who asked for one meanwhile is late; false where there was none. */
    synchronized boolean clear() {
        boolean any = !uris.isEmpty();
        server++;
        uris.clear();
        bytes = 0;
        return any;
    }

    /** What a former owner stored, as far as there is room for it. */
    synchronized void restore(@Nullable List<String> stored) {
        clear();
        if (stored != null) {
            stored.stream().filter(this::fits).filter(uris::add).forEach(uri -> bytes += size(uri));
        }
    }

    /** As JSON, without its quotes: a control character takes six. */
    private static int size(String uri) {
        return Json.write(uri).length - 2;
    }
}
