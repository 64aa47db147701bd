package dev.perigee.worker.session;

import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.instance.InstanceIdentity;
import dev.perigee.worker.instance.InstanceJournal.OutputValve;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Journal} of one process id behind a lock, for as long as the session lives: also after
 * the instance was removed, until its last entry is acknowledged, and so that the numbers of a
 * later instance of the same id go on. Any thread may call; nothing blocks.
 */
final class ProcessJournal {
    private final Object lock = new Object();
    private final Journal journal;
    private final LargeBudget budget;
    private final EventFrames frames;
    private final Consumer<ProcessJournal> appended;
    private InstanceIdentity identity;
    private @Nullable OutputValve valve;
    private boolean paused;
    private boolean ended;

    /**
     * An empty journal.
     *
     * @param appended run after each entry, outside the lock
     */
    ProcessJournal(
            InstanceIdentity identity,
            Journal.Limits limits,
            LargeBudget budget,
            EventFrames frames,
            Consumer<ProcessJournal> appended) {
        this.identity = identity;
        this.journal = new Journal(limits, budget);
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

    void control(OutputValve newValve) {
        synchronized (lock) {
            valve = newValve;
            paused = false;
            regulate();
        }
    }

    void append(Journal.Encoder encoder, @Nullable RecordOrigin origin) {
        synchronized (lock) {
            if (ended) {
                return;
            }
            journal.append(encoder, origin);
            regulate();
        }
        appended.accept(this);
    }

    /** Appends what may be evicted. */
    void appendOutput(Journal.Encoder encoder, Journal.Output output) {
        synchronized (lock) {
            if (ended) {
                return;
            }
            journal.appendOutput(encoder, output);
            regulate();
        }
        appended.accept(this);
    }

    /** Appends what may give way, and be evicted. */
    void appendLog(Journal.Encoder encoder, Journal.Output output) {
        synchronized (lock) {
            if (ended) {
                return;
            }
            journal.appendLog(encoder, output);
            regulate();
        }
        appended.accept(this);
    }

    /** Forgets what is durable; returns the requests whose results were. */
    List<RecordOrigin> acknowledge(long seq) {
        List<RecordOrigin> answered;
        boolean reported;
        synchronized (lock) {
            long next = journal.nextSeq();
            answered =
                    journal.acknowledge(
                            seq, (number, lines) -> frames.dropped(identity, number, lines));
            reported = journal.nextSeq() > next;
            regulate();
        }
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

    /** The session is over: nobody will ask for the entries, and none is taken any more. */
    void end() {
        synchronized (lock) {
            ended = true;
            journal.clear();
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
