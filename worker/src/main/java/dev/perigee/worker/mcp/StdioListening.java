package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests by which a modern server is listened to over pipes: one for its lists from the handshake
 * on, and one for the resources that are subscribed to. The server answers such a request when it
 * no longer notifies. Lists are listened to again then, after a pause from {@link #FIRST_PAUSE} up
 * to {@link #LONGEST_PAUSE} that doubles while they end sooner than that, and not where the server
 * refused; of resources the listener is told, who has a pace of its own. Safe for use by any
 * thread; only {@link #replace} blocks.
 */
final class StdioListening {
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private static final long NONE = -1;

    private final Wire wire;
    private final McpListener listener;
    private final RequestDeadlines timers;
    private final ReentrantLock replacing = new ReentrantLock();

    /** The parameters that lists are listened to with; null where they are not, or no more. */
    private @Nullable RawJson lists;

    /** Whether the server's tools are one of them. */
    private boolean toolsAmong;

    private long listsBy = NONE;
    private long listsBeganNanos;
    private Duration pause = Duration.ZERO;
    private RequestDeadlines.@Nullable Deadline again;

    private long resourcesBy = NONE;
    private long asked = NONE;
    private boolean askedEnded;

    /** The server's pipes. */
    interface Wire {
        /**
         * Sends a request to listen whose acknowledgement is waited for.
         *
         * @param opened called with its id before it is sent
         */
        McpRequest ask(RawJson params, Duration timeout, LongConsumer opened) throws McpException;

        /**
         * The same for one that nobody waits for; never blocks.
         *
         * @return its id; null when the server does not read now
         */
        @Nullable Long tell(RawJson params, LongConsumer opened);

        /** Gives a request up, if the server reads now. */
        void cancel(long id);
    }

    StdioListening(Wire wire, McpListener listener, RequestDeadlines timers) {
        this.wire = wire;
        this.listener = listener;
        this.timers = timers;
    }

    /** Listens to the lists that the server announces changes of, if there are any. */
    void begin(ServerInfo server) {
        var params = ModernMeta.listen(server, List.of());
        if (params == null) {
            return;
        }
        synchronized (this) {
            lists = params;
            toolsAmong = server.announcesTools();
        }
        listen(params);
    }

    private boolean listen(RawJson params) {
        boolean sent = wire.tell(params, this::listening) != null;
        if (!sent) {
            synchronized (this) {
                later();
            }
        }
        return sent;
    }

    private synchronized void listening(long id) {
        listsBy = id;
        listsBeganNanos = System.nanoTime();
    }

    /** After a pause. Under the lock. */
    private void later() {
        listsBy = NONE;
        var lasted = Duration.ofNanos(System.nanoTime() - listsBeganNanos);
        var doubled = pause.multipliedBy(2);
        if (pause.isZero() || lasted.compareTo(LONGEST_PAUSE) > 0) {
            pause = FIRST_PAUSE;
        } else {
            pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        }
        again = timers.after(pause, this::listenAgain);
    }

    private void listenAgain() {
        RawJson params;
        boolean tools;
        synchronized (this) {
            again = null;
            params = lists;
            tools = toolsAmong;
        }
        if (params != null && listen(params) && tools) {
            listener.onToolsMissed(); // What was announced meanwhile no one received.
        }
    }

    /**
     * Has the server notify of these resources in place of those before. The next request goes out
     * before the last is given up, so that nothing is missed.
     *
     * @return those of which it does not notify
     */
    List<String> replace(Collection<String> uris, Duration timeout)
            throws McpException, InterruptedException {
        replacing.lockInterruptibly();
        try {
            List<String> refused = List.of();
            long next = NONE;
            var params = ModernMeta.listen(null, uris);
            if (params != null) {
                long start = System.nanoTime();
                var request = wire.ask(params, timeout, this::asking);
                var taken = request.awaitAndTake(timeout.minusNanos(System.nanoTime() - start));
                refused = ModernMeta.refused(uris, taken);
                next = request.id();
            }
            replaceBy(next);
            return refused;
        } finally {
            asking(NONE);
            replacing.unlock();
        }
    }

    private synchronized void asking(long id) {
        asked = id;
        askedEnded = false;
    }

    private void replaceBy(long next) {
        long before;
        boolean ended;
        synchronized (this) {
            before = resourcesBy;
            ended = next != NONE && askedEnded;
            resourcesBy = ended ? NONE : next;
            asked = NONE;
        }
        if (before != NONE) {
            wire.cancel(before);
        }
        if (ended) {
            listener.onNoticesMissed();
        }
    }

    /**
     * The server answered a request, of any kind; if it was one of these it ended it.
     *
     * @param refused whether with an error
     */
    void answered(long id, boolean refused) {
        synchronized (this) {
            if (id == asked) {
                askedEnded = true;
                return;
            }
            if (id == listsBy && lists != null) {
                if (refused) {
                    lists = null;
                } else {
                    later();
                }
                return;
            }
            if (id != resourcesBy) {
                return;
            }
            resourcesBy = NONE;
        }
        listener.onNoticesMissed();
    }

    /** The process ends: nothing is listened to any more. */
    synchronized void close() {
        lists = null;
        if (again != null) {
            again.cancel();
        }
    }
}
