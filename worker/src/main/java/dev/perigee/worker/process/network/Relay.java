package dev.perigee.worker.process.network;

import dev.perigee.worker.process.Tenant;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection of an instance and the one that is made for it, and what they say to each other.
 * Nothing is kept here: bytes stay with the kernel, which looks after what is too fast, until they
 * can be handed on. An end of either side is handed on, a failure ends both. Of the loop's thread.
 */
final class Relay implements Watched, NetworkLoop.Carried {
    /** After so many chunks others have their turn. */
    private static final int TURN_CHUNKS = 4;

    private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** How long one side is kept when the other has ended, and it says nothing. */
    private static final long HALF_OPEN_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final NetworkLoop loop;
    private final Tenant owner;
    private final int inner;
    private final int outer;
    private final Consumer<Relay> onEnd;
    private final long innerKey;
    private final long outerKey;
    private final Silence silence = new Silence(System.nanoTime());
    private long moved;
    private boolean connected;
    private boolean innerEnded;
    private boolean outerEnded;
    private boolean closed;

    private Relay(NetworkLoop loop, Tenant owner, int inner, int outer, Consumer<Relay> onEnd) {
        this.loop = loop;
        this.owner = owner;
        this.inner = inner;
        this.outer = outer;
        this.onEnd = onEnd;
        this.innerKey = loop.watchChanges(inner, this);
        boolean watched = false;
        try {
            this.outerKey = loop.watchChanges(outer, this);
            watched = true;
        } finally {
            if (!watched) {
                loop.forget(inner, innerKey);
            }
        }
    }

    /**
     * Begins to connect.
     *
     * @param owner whose turns it takes
     * @param inner the instance's side, which is the relay's if it did
     * @param onEnd runs once, on the loop's thread
     * @return null if it did not
     */
    static @Nullable Relay begin(
            NetworkLoop loop,
            Tenant owner,
            int inner,
            InetSocketAddress to,
            Consumer<Relay> onEnd) {
        int outer = loop.calls().connect(to);
        if (outer < 0) {
            return null;
        }
        Relay begun = null;
        try {
            loop.calls().hurry(inner);
            begun = new Relay(loop, owner, inner, outer, onEnd);
        } finally {
            if (begun == null) {
                loop.calls().abort(outer);
            }
        }
        return begun;
    }

    @Override
    public void ready() {
        if (!closed) {
            loop.queue(owner, this);
        }
    }

    @Override
    public void serve() {
        if (closed) {
            return;
        }
        if (!connected) {
            // What was broken off inside needs no peer any more.
            if (loop.calls().error(outer) != 0 || loop.calls().error(inner) != 0) {
                abort();
                return;
            }
            connected = loop.calls().isConnected(outer);
            if (!connected) {
                return;
            }
        }
        int chunks = 0;
        boolean more = true;
        while (more && !closed) {
            if (chunks++ == TURN_CHUNKS) {
                loop.queue(owner, this);
                return;
            }
            boolean out = !innerEnded && move(inner, outer);
            boolean in = !closed && !outerEnded && move(outer, inner);
            more = out || in;
        }
    }

    /** Moves one chunk; false when there is nothing to move, or no room. */
    private boolean move(int from, int to) {
        var calls = loop.calls();
        long seen = calls.peek(from);
        if (seen == SocketCalls.TRY_AGAIN || seen == SocketCalls.INTERRUPTED) {
            return seen == SocketCalls.INTERRUPTED;
        }
        if (seen < 0) {
            abort();
            return false;
        }
        if (seen == 0) {
            calls.endOutput(to);
            ended(from);
            return false;
        }
        long sent = calls.forward(to, seen);
        if (sent == SocketCalls.TRY_AGAIN || sent == SocketCalls.INTERRUPTED) {
            return sent == SocketCalls.INTERRUPTED;
        }
        if (sent < 0) {
            abort();
            return false;
        }
        calls.drop(from, sent);
        moved += sent;
        return true;
    }

    private void ended(int side) {
        if (side == inner) {
            innerEnded = true;
        } else {
            outerEnded = true;
        }
        if (innerEnded && outerEnded) {
            leave();
            loop.calls().close(inner);
            loop.calls().close(outer);
            onEnd.accept(this);
        }
    }

    /**
     * Breaks off what has no peer after its time, what has one side left that said nothing for long
     * since the one that ended may be gone, and what carries nothing for longer than any may.
     */
    @Override
    public void sweep(long now) {
        long silent = silence.nanos(moved, now);
        boolean half = innerEnded || outerEnded;
        if (!connected) {
            if (silent > CONNECT_NANOS) {
                abort();
            }
        } else if (half && silent > HALF_OPEN_NANOS) {
            abort();
        } else if (loop.limits().endsAfter(silent)) {
            loop.countIdle();
            abort();
        }
    }

    /** Breaks both sides off. */
    void abort() {
        if (!closed) {
            leave();
            loop.calls().abort(inner);
            loop.calls().abort(outer);
            onEnd.accept(this);
        }
    }

    private void leave() {
        closed = true;
        loop.queueNoLonger(owner, this);
        loop.forget(inner, innerKey);
        loop.forget(outer, outerKey);
    }
}
