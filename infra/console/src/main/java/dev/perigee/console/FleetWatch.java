package dev.perigee.console;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Fills a board while there are viewers: the first viewer starts the feed; a while after the last
 * one left, so that a page can be loaded again, it stops and the board is forgotten. Any thread.
 */
final class FleetWatch implements AutoCloseable {
    private final int maxViewers;
    private final Duration linger;
    private final Supplier<Board> boards;
    private final Function<Board, Feed> feeds;
    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch closed = new CountDownLatch(1);
    private int viewers;
    private long visit;
    private @Nullable Board board;
    private @Nullable Feed feed;

    /** Source that fills a board until it is closed. */
    interface Feed extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * @param linger how long a board is kept without viewers
     * @param boards makes an empty board
     * @param feeds starts to fill one
     */
    FleetWatch(
            int maxViewers, Duration linger, Supplier<Board> boards, Function<Board, Feed> feeds) {
        this.maxViewers = maxViewers;
        this.linger = linger;
        this.boards = boards;
        this.feeds = feeds;
    }

    /** One who watches, until closed. */
    interface Viewing extends AutoCloseable {
        Board board();

        @Override
        void close();
    }

    /** Begins to watch; null when there are too many viewers, or the watch is over. */
    @Nullable Viewing open() {
        return open(maxViewers);
    }

    /** The same for a moment, however many view; null when the watch is over. */
    @Nullable Viewing openToAct() {
        return open(Integer.MAX_VALUE);
    }

    private @Nullable Viewing open(int most) {
        lock.lock();
        try {
            if (closed.getCount() == 0 || viewers >= most) {
                return null;
            }
            viewers++;
            visit++;
            var filled = board;
            if (filled == null) {
                filled = boards.get();
                board = filled;
                feed = feeds.apply(filled);
            }
            return viewing(filled);
        } finally {
            lock.unlock();
        }
    }

    private Viewing viewing(Board filled) {
        return new Viewing() {
            @Override
            public Board board() {
                return filled;
            }

            @Override
            public void close() {
                leave();
            }
        };
    }

    private void leave() {
        lock.lock();
        try {
            viewers--;
            if (viewers == 0) {
                long last = visit;
                Thread.ofVirtual().name("console-linger").start(() -> stopAfterLinger(last));
            }
        } finally {
            lock.unlock();
        }
    }

    private void stopAfterLinger(long last) {
        try {
            if (closed.await(linger.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        stop(last);
    }

    /** Whether a board is being filled. */
    boolean isFilling() {
        lock.lock();
        try {
            return board != null;
        } finally {
            lock.unlock();
        }
    }

    /** Stops, unless a viewer came after that visit; null to stop in any case. */
    private void stop(@Nullable Long last) {
        Board filled;
        Feed filling;
        lock.lock();
        try {
            if (last != null && visit != last) {
                return;
            }
            filled = board;
            filling = feed;
            board = null;
            feed = null;
        } finally {
            lock.unlock();
        }
        if (filling != null) {
            filling.close();
        }
        if (filled != null) {
            filled.close();
        }
    }

    /** Closes the board of all viewers. */
    @Override
    public void close() {
        closed.countDown();
        stop(null);
    }
}
