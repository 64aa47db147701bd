package dev.perigee.worker.process.network;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One listening socket, which is watched while what comes may be taken. Of the loop's thread. */
final class ListeningSocket implements Watched, NetworkLoop.Waiting {
    /** Of a socket that is not there. */
    static final ListeningSocket CLOSED = new ListeningSocket();

    private static final int AT_ONCE = 8;
    private static final long BREATHER_NANOS = 50_000_000;

    private final @Nullable NetworkLoop loop;
    private final int socket;
    private final RateLimiter pace;
    private final Supplier<Taken> take;
    private final BooleanSupplier room;
    private long key = -1;
    private boolean closed;

    private ListeningSocket() {
        this.loop = null;
        this.socket = -1;
        this.pace = new RateLimiter(1, 0);
        this.take = () -> Taken.NONE;
        this.room = () -> false;
        this.closed = true;
    }

    /**
     * A socket that is not watched yet.
     *
     * @param take takes one of what came
     * @param room whether one more may be taken
     */
    ListeningSocket(
            NetworkLoop loop,
            int socket,
            RateLimiter pace,
            Supplier<Taken> take,
            BooleanSupplier room) {
        this.loop = loop;
        this.socket = socket;
        this.pace = pace;
        this.take = take;
        this.room = room;
    }

    /** Watches, unless it does or must not. */
    void open() {
        if (loop == null || closed || key >= 0) {
            return;
        }
        if (room.getAsBoolean()) {
            loop.awaitNoLonger(this);
            key = loop.watchReadable(socket, this);
        } else {
            loop.awaitRoom(this);
        }
    }

    /** Takes what came meanwhile, and watches for more. */
    @Override
    public void retry() {
        open();
        if (key >= 0) {
            ready();
        }
    }

    private void pause() {
        if (loop != null && key >= 0) {
            loop.forget(socket, key);
            key = -1;
        }
    }

    @Override
    public void ready() {
        if (loop == null || closed) {
            return;
        }
        for (int round = 0; round < AT_ONCE; round++) {
            long now = System.nanoTime();
            if (pace.due() - now > 0) {
                pause();
                loop.later(pace.due() + BREATHER_NANOS, this::open);
                return;
            }
            if (!room.getAsBoolean()) {
                pause();
                loop.awaitRoom(this);
                return;
            }
            var taken = Taken.ONE;
            try {
                taken = take.get();
            } finally {
                // What fails counts too: else it comes again as often as it likes.
                if (taken == Taken.ONE) {
                    pace.take(now);
                }
            }
            if (taken == Taken.FAILED) {
                pause();
                loop.later(now + BREATHER_NANOS, this::open);
            }
            if (taken != Taken.ONE) {
                return;
            }
        }
    }

    void close() {
        if (loop != null && !closed) {
            pause();
            loop.awaitNoLonger(this);
            closed = true;
            loop.calls().close(socket);
        }
    }
}
