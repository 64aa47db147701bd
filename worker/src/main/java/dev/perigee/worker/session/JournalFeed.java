package dev.perigee.worker.session;

import dev.perigee.protocol.topic.RecordOrigin;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sender of a session's journal entries to the attached gateway: one virtual thread per attachment.
 * A journal that has entries past what was sent of it is ready, whether they were written before
 * the attach or just now, so replay and live events are one code path with no window between them.
 *
 * <p>Journals take turns, one entry each, and what is there at once is written together. Without
 * credit all wait, and the sender waits for room in the connection's queue. Any thread may call;
 * none waits.
 */
final class JournalFeed {
    /** The first of so many entries does not wait for more of them. */
    private static final int MOST_TOGETHER = 32;

    private final LinkPeer peer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<ProcessJournal> turns = new ArrayDeque<>();
    private final Set<ProcessJournal> ready = new HashSet<>();

    /** On the sender's thread, once it started; without the journals that were retired. */
    private final Map<ProcessJournal, Long> sent;

    private final Credit credit;
    private final String name;
    private @Nullable Thread sender;
    private int unflushed;
    private volatile boolean stopped;

    /**
     * A feed that is not started.
     *
     * @param sent what the gateway has of each journal; the rest is sent
     */
    JournalFeed(String name, LinkPeer peer, Credit credit, Map<ProcessJournal, Long> sent) {
        this.name = name;
        this.peer = peer;
        this.credit = credit;
        this.sent = new WeakHashMap<>(sent);
    }

    void start() {
        lock.lock();
        try {
            sender = Thread.ofVirtual().name(name).start(this::run);
        } finally {
            lock.unlock();
        }
    }

    /** The journal may have new entries. Does not wait. */
    void ready(ProcessJournal journal) {
        lock.lock();
        try {
            if (!stopped && ready.add(journal)) {
                turns.add(journal);
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    void grant(long bytes) {
        lock.lock();
        try {
            credit.grant(bytes);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Sends nothing more: once this returns, nothing is queued. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            if (sender != null) {
                sender.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            for (var journal = turn(); journal != null; journal = turn()) {
                if (!sendNext(journal)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            // Stopped: the next attachment sends what is left.
        } finally {
            flush();
        }
    }

    /** On the sender's thread, as the next. */
    private void flush() {
        if (unflushed > 0) {
            unflushed = 0;
            peer.flush();
        }
    }

    /** Sends an entry, if there is one, and puts the journal at the end of the line. */
    private boolean sendNext(ProcessJournal journal) throws InterruptedException {
        var entry = journal.readAfter(sent.getOrDefault(journal, 0L));
        if (entry == null) {
            return true;
        }
        byte[] frame = EventFrames.readable(entry.frame(), peer.protocol());
        if (!queue(frame, entry.origin())) {
            return false;
        }
        sent.put(journal, entry.seq());
        unflushed++;
        lock.lock();
        try {
            credit.spend(frame.length);
            if (ready.add(journal)) {
                turns.add(journal);
            }
        } finally {
            lock.unlock();
        }
        return true;
    }

    /**
     * Queues an entry, unless the feed was stopped: what was looked up after that may follow
     * entries that the next gateway acknowledged, and what is queued after it the answer to the
     * next attach.
     *
     * @param request the one that the entry answers, if it answers one
     */
    private boolean queue(byte[] frame, @Nullable RecordOrigin request)
            throws InterruptedException {
        int room = peer.awaitRoom(frame.length);
        lock.lock();
        try {
            if (!stopped) {
                boolean queued = peer.sendEvent(frame, room);
                if (queued && request != null) {
                    peer.resultTaken(request);
                }
                return queued;
            }
        } finally {
            lock.unlock();
        }
        peer.returnRoom(room);
        return false;
    }

    @SuppressWarnings("ThreadPriorityCheck") // Lets calls go first; nothing depends on it.
    private @Nullable ProcessJournal turn() throws InterruptedException {
        if (unflushed > 0 && mustWait()) {
            Thread.yield(); // What calls have ready goes along; where there are none it is nothing.
        }
        if (unflushed >= MOST_TOGETHER || mustWait()) {
            flush();
        }
        lock.lock();
        try {
            while (!stopped && hasNothing()) {
                changed.await();
            }
            if (stopped) {
                return null;
            }
            var journal = turns.remove();
            ready.remove(journal);
            return journal;
        } finally {
            lock.unlock();
        }
    }

    private boolean mustWait() {
        lock.lock();
        try {
            return hasNothing();
        } finally {
            lock.unlock();
        }
    }

    private boolean hasNothing() {
        return turns.isEmpty() || !credit.available();
    }
}
