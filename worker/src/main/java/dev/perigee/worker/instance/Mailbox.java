package dev.perigee.worker.instance;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Mailbox of a supervisor, in order; what happens to its runs becomes messages here, too. Orders
 * are bounded in number; events are bounded by their sources, each of which has one outstanding at
 * a time. Posting never blocks.
 *
 * <p>An empty box has no thread: the first message calls for one, which handles messages until it
 * finds none and is {@link #dismiss dismissed}.
 */
final class Mailbox implements ProcessRun.Listener, HttpRun.Listener, AccessTokens.Listener {
    private static final int MAX_ORDERS = 1000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<Message> messages = new ArrayDeque<>();
    private final Set<Message.Hint> hints = new HashSet<>();
    private final Runnable attendant;
    private int orders;
    private boolean attended;
    private boolean nudged;
    private boolean closed;

    /**
     * @param attendant called, under the box's lock, when the box needs a thread
     */
    Mailbox(Runnable attendant) {
        this.attendant = attendant;
    }

    /** Adds an order; false when there are too many, or the box is closed. */
    boolean offer(Message.Order order) {
        lock.lock();
        try {
            if (closed || orders >= MAX_ORDERS) {
                return false;
            }
            orders++;
            add(order);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Adds what happened; of equal hints one is enough. Without effect after the close. */
    void post(Message message) {
        lock.lock();
        try {
            if (closed || (message instanceof Message.Hint hint && !hints.add(hint))) {
                return;
            }
            add(message);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void toolsChanged(ServerRun run) {
        post(new Message.ToolsChanged(run));
    }

    @Override
    public void toolsMissed(ServerRun run) {
        post(new Message.ToolsMissed(run));
    }

    @Override
    public void noticesMissed(ServerRun run) {
        post(new Message.NoticesMissed(run));
    }

    @Override
    public void exited(ProcessRun run) {
        post(new Message.Exited(run));
    }

    @Override
    public void otherSecrets(HttpRun run) {
        post(new Message.OtherSecrets(run));
    }

    @Override
    public void tokenWanted() {
        post(new Message.TokenWanted());
    }

    @Override
    public void scopesWanted(List<String> scopes) {
        post(new Message.ScopesWanted(scopes));
    }

    private void add(Message message) {
        messages.add(message);
        call();
    }

    private void call() {
        if (attended) {
            arrived.signal();
        } else {
            attended = true;
            attendant.run();
        }
    }

    /** Wakes the thread, though there may be no message. */
    void nudge() {
        lock.lock();
        try {
            nudged = true;
            call();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Releases the thread: true when there is nothing, and then the next message calls for one
     * again.
     */
    boolean dismiss() {
        lock.lock();
        try {
            attended = nudged || !messages.isEmpty();
            nudged = false;
            return !attended;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next message.
     *
     * @param untilNanos in terms of {@link System#nanoTime}, null to wait for as long as it takes
     * @return null when the time came first
     */
    @Nullable Message take(@Nullable Long untilNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (messages.isEmpty()) {
                if (untilNanos == null) {
                    arrived.await();
                } else {
                    long left = untilNanos - System.nanoTime();
                    if (left <= 0) {
                        return null;
                    }
                    var _ = arrived.await(left, TimeUnit.NANOSECONDS);
                }
            }
            return removed(messages.remove());
        } finally {
            lock.unlock();
        }
    }

    private Message removed(Message message) {
        if (message instanceof Message.Order) {
            orders--;
        }
        if (message instanceof Message.Hint hint) {
            hints.remove(hint);
        }
        return message;
    }

    /** The next message if it is a configuration, which then overtakes the one in hand. */
    Message.@Nullable Apply peekApply() {
        lock.lock();
        try {
            return messages.peek() instanceof Message.Apply next ? next : null;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the box; what was ordered and not begun comes back. */
    List<Message.Order> close() {
        lock.lock();
        try {
            closed = true;
            var left = new ArrayList<Message.Order>();
            for (var message : messages) {
                if (message instanceof Message.Order order) {
                    left.add(order);
                }
            }
            messages.clear();
            return left;
        } finally {
            lock.unlock();
        }
    }
}
