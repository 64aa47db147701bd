package dev.perigee.worker.instance;

import dev.perigee.worker.process.ChildProcess;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Valve on the output of the instance's present process. The journal closes it for whatever process
 * there is, now or later; the room for unfinished messages closes it for the process that has one.
 * Safe for use by any thread; never blocks.
 */
final class OutputGate implements InstanceJournal.OutputValve {
    private final ReentrantLock lock = new ReentrantLock();
    private final Consumer<@Nullable Long> missed;
    private @Nullable ChildProcess child;
    private volatile boolean carriesLogs;
    private boolean paused;
    private boolean stalled;

    /**
     * A gate without a process.
     *
     * @param missed takes the pid of a process whose output has a gap
     */
    OutputGate(Consumer<@Nullable Long> missed) {
        this.missed = missed;
    }

    @Override
    public void pause() {
        set(true);
    }

    @Override
    public void resume() {
        set(false);
    }

    @Override
    public boolean carriesLogs() {
        return carriesLogs;
    }

    @Override
    public void missed(@Nullable Long pid) {
        missed.accept(pid);
    }

    private void set(boolean wanted) {
        lock.lock();
        try {
            paused = wanted;
            apply();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The process whose output this is about from now on.
     *
     * @param logged whether all its output is logged
     */
    void guard(ChildProcess started, boolean logged) {
        carriesLogs = logged;
        lock.lock();
        try {
            child = started;
            stalled = false;
            if (paused) {
                apply();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The process is ended: what it still says is read to its end. */
    void release(ChildProcess ended) {
        lock.lock();
        try {
            if (ended.equals(child)) {
                child = null;
                stalled = false;
            }
        } finally {
            lock.unlock();
        }
        ended.resumeOutput();
    }

    /**
     * Stops the output of a process, or lets it go on, whatever the journal wants.
     *
     * @return false when this is not, or no more, the process whose output can be stopped
     */
    boolean stall(@Nullable ChildProcess whose, boolean wanted) {
        lock.lock();
        try {
            if (whose == null || !whose.equals(child)) {
                return false;
            }
            stalled = wanted;
            apply();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void apply() {
        if (child == null) {
            return;
        }
        if (paused || stalled) {
            child.pauseOutput();
        } else {
            child.resumeOutput();
        }
    }
}
