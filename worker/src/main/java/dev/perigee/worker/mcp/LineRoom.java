package dev.perigee.worker.mcp;

import dev.perigee.protocol.limit.BudgetShare;
import dev.perigee.protocol.limit.ByteBudget;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory for messages of which the end is not read yet, of all servers of a worker. A server
 * whose message has used up its share of it, see {@link BudgetShare}, is not read until others have
 * ended theirs. One of those always goes on, the one that waits longest, so that they cannot wait
 * for each other for ever; if it does not end its message soon while others wait, the message is
 * given up and skipped. A little belongs to each server and is never refused.
 *
 * <p>Safe for use by any thread.
 */
public final class LineRoom {
    /** What each server may have unfinished whatever others do: more than most messages. */
    static final int ALLOWANCE_BYTES = 64 << 10;

    /** A message that is being written takes milliseconds. */
    private static final Duration TURN = Duration.ofSeconds(2);

    private final ByteBudget budget;
    private final Duration turn;
    private final Object lock = new Object();
    private final ArrayDeque<Line> waiting = new ArrayDeque<>();
    private @Nullable Line first;
    private long turns;

    /**
     * Reader of a server's output. All is called under this object's lock but for {@link #giveUp};
     * none may block or call back.
     */
    interface Reader {
        /** Stop reading; false when that is not possible, so that the message is to be skipped. */
        boolean pause();

        /** Read on. */
        void resume();

        /**
         * Skip the message, which frees its room; called on the deadlines' thread.
         *
         * @param due whether it still is that message, to be asked where nothing is read meanwhile
         */
        void giveUp(BooleanSupplier due);
    }

    /** Room for all servers of a worker. */
    public LineRoom(ByteBudget budget) {
        this(budget, TURN);
    }

    LineRoom(ByteBudget budget, Duration turn) {
        this.budget = budget;
        this.turn = turn;
    }

    /** What is used, and of how much. */
    public ByteBudget budget() {
        return budget;
    }

    /** How many servers are not read now. */
    public int waiting() {
        synchronized (lock) {
            return waiting.size();
        }
    }

    /** The place of one server, which has nothing unfinished yet. */
    Line open(Reader reader) {
        return new Line(reader);
    }

    /** One server's unfinished message. */
    final class Line {
        private final Reader reader;
        private final BudgetShare share = new BudgetShare(budget, ALLOWANCE_BYTES);

        private volatile long kept;
        private volatile boolean closed;

        private Line(Reader reader) {
            this.reader = reader;
        }

        /**
         * So much is kept of the message now.
         *
         * @return false when it may not go on and its reader cannot be stopped: skip it
         */
        boolean keeps(long bytes) {
            if (bytes == kept) {
                return !closed;
            }
            synchronized (lock) {
                if (closed) {
                    return false;
                }
                boolean shrank = bytes < kept;
                kept = bytes;
                share.giveAll();
                share.take(bytes);
                boolean goesOn = share.isUsedUp() ? mayGoOn(this) : leave(this);
                if (shrank) {
                    wake();
                }
                return goesOn;
            }
        }

        /** Nothing more is read, for good. */
        void close() {
            synchronized (lock) {
                boolean _ = keeps(0);
                closed = true;
            }
        }
    }

    private boolean mayGoOn(Line line) {
        var leader = first;
        if (leader == line) {
            return true;
        }
        if (leader == null) {
            lead(line);
            return true;
        }
        if (!line.reader.pause()) {
            waiting.remove(line);
            return false;
        }
        if (!waiting.contains(line)) {
            waiting.add(line);
            if (waiting.size() == 1) {
                watch(leader);
            }
        }
        return true;
    }

    /** It is within its share: it neither waits nor goes before others. */
    private boolean leave(Line line) {
        if (first == line) {
            first = null;
            wake();
        } else if (waiting.remove(line)) {
            line.reader.resume();
        }
        return true;
    }

    private void wake() {
        var back = waiting.iterator();
        while (back.hasNext()) {
            var line = back.next();
            if (!line.share.isNearlyUsedUp()) {
                back.remove();
                line.reader.resume();
            }
        }
        if (first == null) {
            var next = waiting.poll();
            if (next != null) {
                lead(next);
                next.reader.resume();
            }
        }
    }

    private void lead(Line line) {
        first = line;
        turns++;
        if (!waiting.isEmpty()) {
            watch(line);
        }
    }

    private void watch(Line line) {
        long watched = turns;
        var _ = RequestDeadlines.ofAll().after(turn, () -> endTurn(line, watched));
    }

    private void endTurn(Line line, long watched) {
        if (isDue(line, watched)) {
            line.reader.giveUp(() -> isDue(line, watched));
        }
    }

    private boolean isDue(Line line, long watched) {
        synchronized (lock) {
            return first == line && turns == watched && !waiting.isEmpty();
        }
    }
}
