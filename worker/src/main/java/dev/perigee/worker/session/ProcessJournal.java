package dev.perigee.worker.session;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.instance.InstanceIdentity;
import dev.perigee.worker.instance.InstanceJournal.OutputValve;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Journal} of one process id behind a lock: from the first instance of that id until one
 * was removed and all entries are acknowledged. It is retired then, and takes no entry; its
 * successor continues the numbers. Any thread may call; nothing blocks.
 */
final class ProcessJournal {
    /** Acknowledgement callbacks kept at a time; beyond that the oldest are dropped uncalled. */
    private static final int MOST_AWAITED = 16;

    private final Object lock = new Object();
    private final Journal journal;
    private final ByteBudget budget;
    private final EventFrames frames;
    private final Consumer<ProcessJournal> appended;
    private final Deque<Awaited> awaited = new ArrayDeque<>();
    private InstanceIdentity identity;
    private @Nullable OutputValve valve;
    private boolean paused;
    private boolean removed;
    private boolean retired;
    private boolean ended;

    /** An entry that somebody waits for until it is acknowledged. */
    private record Awaited(long seq, Runnable acknowledged) {}

    /** The number of the newest entry of usage; 0, which no entry has, before the first. */
    private long usageSeq;

    /**
     * An empty journal of a process id that has no instance yet, or no more.
     *
     * @param firstSeq the number of its first entry
     * @param appended run after each entry, outside the lock
     */
    ProcessJournal(
            InstanceIdentity identity,
            Journal.Limits limits,
            long firstSeq,
            ByteBudget budget,
            EventFrames frames,
            Consumer<ProcessJournal> appended) {
        this.identity = identity;
        this.removed = true;
        this.journal = new Journal(limits, budget, firstSeq);
        this.budget = budget;
        this.frames = frames;
        this.appended = appended;
    }

    /** The newest identity under which something was written. */
    InstanceIdentity identity() {
        synchronized (lock) {
            return identity;
        }
    }

    void identify(InstanceIdentity newer) {
        synchronized (lock) {
            identity = newer;
        }
    }

    /** There is an instance, the first or another one. */
    void revive(InstanceIdentity newer) {
        synchronized (lock) {
            identity = newer;
            removed = false;
        }
    }

    void control(OutputValve newValve) {
        synchronized (lock) {
            valve = newValve;
            paused = false;
            regulate();
        }
    }

    /** Appends what is kept; false when the journal is retired. */
    boolean append(Journal.Encoder encoder, @Nullable RecordOrigin origin) {
        return add(() -> journal.append(encoder, origin));
    }

    /**
     * Appends what is kept and waited for; false when the journal is retired.
     *
     * @param acknowledged run after the acknowledgement, outside the lock; never if the journal
     *     ends before
     */
    boolean appendAwaited(Journal.Encoder encoder, Runnable acknowledged) {
        return add(
                () -> {
                    if (awaited.size() == MOST_AWAITED) {
                        awaited.removeFirst();
                    }
                    awaited.addLast(new Awaited(journal.nextSeq(), acknowledged));
                    journal.append(encoder, null);
                });
    }

    private boolean add(Runnable append) {
        boolean taken = change(append);
        if (taken) {
            appended.accept(this);
        }
        return taken;
    }

    private boolean change(Runnable change) {
        synchronized (lock) {
            if (retired) {
                return false;
            }
            if (!ended) {
                change.run();
                regulate();
            }
            return true;
        }
    }

    /** A result was read that is yet to be appended; false when the journal is retired. */
    boolean expect(long bytes) {
        return change(() -> journal.expect(bytes));
    }

    /** It is appended, or dropped. A journal that was retired meanwhile expects nothing. */
    void expectNoMore(long bytes) {
        boolean _ = change(() -> journal.expectNoMore(bytes));
    }

    /** Appends the last entry of an instance; false when the journal is retired. */
    boolean appendRemoved(Journal.Encoder encoder) {
        return add(
                () -> {
                    journal.append(encoder, null);
                    removed = true;
                    valve = null;
                });
    }

    /** Appends what may be evicted; false when the journal is retired. */
    boolean appendOutput(Journal.Encoder encoder, Journal.Output output) {
        return add(() -> journal.appendOutput(encoder, output));
    }

    /** Appends what may give way, and be evicted; false when the journal is retired. */
    boolean appendLog(Journal.Encoder encoder, Journal.Output output) {
        return add(() -> journal.appendLog(encoder, output));
    }

    /** Appends what is dropped where there is little room; false when the journal is retired. */
    boolean appendIfRoom(Journal.Encoder encoder, long lines) {
        return add(() -> journal.appendIfRoom(encoder, lines));
    }

    /**
     * Appends what a server notifies of, where there is room; false when the journal is retired.
     */
    boolean appendNotice(Journal.Encoder encoder) {
        return add(() -> journal.appendNotice(encoder));
    }

    /** Appends an entry of usage; false when the journal is retired. */
    boolean appendUsage(Journal.Encoder encoder) {
        return add(
                () -> {
                    usageSeq = journal.nextSeq();
                    journal.append(encoder, null);
                });
    }

    /** Whether an entry of usage is not acknowledged, or nothing is taken any more. */
    boolean holdsUsage() {
        synchronized (lock) {
            return ended || journal.firstRetainedSeq() <= usageSeq;
        }
    }

    /**
     * Ends the journal, if its instance was removed and a gateway has all that it said.
     *
     * @return the number that its next entry would have had; null when it goes on
     */
    @Nullable Long retire() {
        synchronized (lock) {
            retired = removed && !ended && journal.isSettled();
            if (retired) {
                journal.clear(); // What is still expected is dropped, or goes to another one.
            }
            return retired ? journal.nextSeq() : null;
        }
    }

    /** Forgets what is durable; returns the requests whose results were. */
    List<RecordOrigin> acknowledge(long seq) {
        List<RecordOrigin> answered;
        var durable = new ArrayList<Awaited>();
        boolean reported;
        synchronized (lock) {
            long next = journal.nextSeq();
            answered =
                    journal.acknowledge(
                            seq, (number, lines) -> frames.dropped(identity, number, lines));
            reported = journal.nextSeq() > next;
            while (!awaited.isEmpty() && awaited.getFirst().seq() <= seq) {
                durable.add(awaited.removeFirst());
            }
            regulate();
        }
        durable.forEach(entry -> entry.acknowledged().run());
        if (reported) {
            appended.accept(this);
        }
        return answered;
    }

    /**
     * The first entry after a number, null when there is none. A reader that missed evicted output
     * has the process ended whose output it was; an entry says so in the place of what is missing.
     */
    Journal.@Nullable Entry readAfter(long seq) {
        synchronized (lock) {
            var hole = journal.takeHole(seq);
            if (hole != null) {
                journal.append(number -> frames.missing(identity, number, hole.lines()), null);
                if (valve != null) {
                    valve.missed(hole.pid());
                }
                regulate();
            }
            return journal.after(seq);
        }
    }

    long resumeAfter(long afterSeq) {
        synchronized (lock) {
            return journal.resumeAfter(afterSeq);
        }
    }

    /** First and next number, in this order, of one moment. */
    Range range() {
        synchronized (lock) {
            return new Range(journal.firstRetainedSeq(), journal.nextSeq());
        }
    }

    /** The numbers that are retained: none when both are equal. */
    record Range(long firstSeq, long nextSeq) {
        boolean isEmpty() {
            return firstSeq == nextSeq;
        }
    }

    /** Whether there is room for what may be left out. */
    boolean hasRoom() {
        synchronized (lock) {
            return !ended && journal.hasRoomForLogs();
        }
    }

    boolean acceptsCalls() {
        synchronized (lock) {
            return !ended && !journal.full() && !budget.exhausted();
        }
    }

    int entries() {
        synchronized (lock) {
            return journal.size();
        }
    }

    long bytes() {
        synchronized (lock) {
            return journal.bytes();
        }
    }

    /** The session is over: drops the entries, and takes none any more. */
    void end() {
        synchronized (lock) {
            ended = true;
            journal.clear();
            awaited.clear();
            regulate();
        }
    }

    private void regulate() {
        if (valve == null) {
            return;
        }
        boolean wanted = journal.full() || (journal.dropsLogs() && valve.carriesLogs());
        if (paused == wanted) {
            return;
        }
        paused = wanted;
        if (paused) {
            valve.pause();
        } else {
            valve.resume();
        }
    }
}
