package dev.perigee.worker.process;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a child with its whole tree, judged by what is alive rather than by what was signalled: its
 * input is closed, SIGTERM goes to its process group, or to all that is in its jail, and what lives
 * after the grace is killed. The system does not notify of the end of processes that are not our
 * children, so those are polled with backoff, within a limit. Blocks, so it is called on the
 * caller's own (virtual) thread.
 */
public final class Termination {

    /** Outcome of a termination. */
    public enum Result {
        /** All of it ended within the grace. */
        GRACEFUL,
        /** Something had to be killed. */
        FORCED,
        /** Something cannot be killed, for one because it waits for a device; it is logged. */
        SURVIVED
    }

    private static final Logger log = LoggerFactory.getLogger(Termination.class);
    private static final Duration FIRST_LOOK = Duration.ofMillis(10);
    private static final Duration LONGEST_LOOK = Duration.ofMillis(250);
    private static final Duration KILL_LIMIT = Duration.ofSeconds(10);

    /** So many for each processor end at once: to take a jail down keeps a processor busy. */
    private static final int TURNS = 4;

    /** What does not end within this does not keep a processor busy, and gives its turn back. */
    private static final Duration TURN = Duration.ofMillis(100);

    /** Longest wait for a turn. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

    private final ProcessTable table;
    private final Semaphore turns =
            new Semaphore(TURNS * Runtime.getRuntime().availableProcessors(), true);

    /** With a table of its own. */
    public Termination() {
        this(new ProcessTable());
    }

    /**
     * One per worker, so that many endings share their reading of the process table.
     *
     * @param table shared with others that look at processes
     */
    public Termination(ProcessTable table) {
        this.table = table;
    }

    /**
     * Ends a child and its tree.
     *
     * @param grace from the SIGTERM to the SIGKILL
     * @throws InterruptedException while waiting; the tree is then killed without waiting for it
     */
    public Result terminate(ChildProcess child, Duration grace) throws InterruptedException {
        try {
            // Read before the turn: reading is shared by all who wait, and takes its time.
            var inside = child.enclosed() ? members(child.tree()) : List.<ProcessEntry>of();
            boolean turn = awaitTurn(child);
            var deadline = System.nanoTime() + grace.toNanos();
            if (ask(child, inside, deadline, turn)) {
                return finish(child.tree(), Duration.ofNanos(left(deadline)));
            }
            kill(child.tree());
            child.signal(ProcessSignal.KILL);
            var result = finish(child.tree(), Duration.ZERO);
            child.awaitExit(KILL_LIMIT);
            return result == Result.GRACEFUL ? Result.FORCED : result;
        } catch (InterruptedException e) {
            kill(child.tree());
            child.signal(ProcessSignal.KILL);
            throw e;
        }
    }

    /** Hundreds that end at the same moment would keep all others from the processors. */
    private boolean awaitTurn(ChildProcess child) throws InterruptedException {
        return !child.awaitExit(Duration.ZERO)
                && turns.tryAcquire(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Closes the input, sends SIGTERM and waits.
     *
     * @param inside what was found of a jail
     * @param turn whether one is to be given back
     * @return true when the child ended before the deadline
     */
    private boolean ask(ChildProcess child, List<ProcessEntry> inside, long deadline, boolean turn)
            throws InterruptedException {
        try {
            child.closeStdin();
            if (child.enclosed()) {
                askInside(child, inside, deadline);
            } else {
                child.signal(ProcessSignal.TERM);
            }
            child.awaitExit(Duration.ofNanos(Math.min(TURN.toNanos(), left(deadline))));
        } finally {
            if (turn) {
                turns.release();
            }
        }
        return child.awaitExit(Duration.ofNanos(left(deadline)));
    }

    private static long left(long deadline) {
        return deadline - System.nanoTime();
    }

    /**
     * SIGTERM ends a jail at once, and all that is inside it, so only what is inside is asked.
     * While the jail is being made there is no such process yet, but processes of the jail's own
     * program and the first one of its namespace, which handle the signal or not.
     */
    private void askInside(ChildProcess jail, List<ProcessEntry> found, long deadline)
            throws InterruptedException {
        var asked = new HashSet<Long>();
        boolean reached = false;
        var inside = found;
        for (var look = FIRST_LOOK; !reached; look = next(look)) {
            var own = ProcStat.program(jail.pid());
            for (var member : inside) {
                if (member.pid() != jail.pid() && asked.add(member.pid())) {
                    reached |= isServer(member.pid(), own);
                    ProcessTree.signal(member, ProcessSignal.TERM);
                }
            }
            var left = left(deadline);
            if (jail.awaitExit(Duration.ofNanos(Math.min(left, look.toNanos()))) || left <= 0) {
                return;
            }
            inside = reached ? inside : members(jail.tree());
        }
    }

    private static boolean isServer(long pid, String jail) {
        var program = ProcStat.program(pid);
        return !program.isEmpty() && !program.equals(jail) && !ProcStat.isFirstOfNamespace(pid);
    }

    /**
     * Ends what a child that has exited left behind; usually nothing.
     *
     * @param grace from the SIGTERM to the SIGKILL; zero or less kills at once
     */
    Result finish(TreeId tree, Duration grace) throws InterruptedException {
        var deadline = System.nanoTime() + grace.toNanos();
        var asked = new HashSet<Long>();
        var members = members(tree);
        for (var look = FIRST_LOOK; !members.isEmpty(); look = next(look)) {
            var left = left(deadline);
            if (left <= 0) {
                return killAll(tree, members);
            }
            for (var member : members) {
                if (asked.add(member.pid())) {
                    ProcessTree.signal(member, ProcessSignal.TERM);
                }
            }
            Thread.sleep(Duration.ofNanos(Math.min(left, look.toNanos())));
            members = members(tree);
        }
        return Result.GRACEFUL;
    }

    private Result killAll(TreeId tree, List<ProcessEntry> found) throws InterruptedException {
        var deadline = System.nanoTime() + KILL_LIMIT.toNanos();
        var members = found;
        for (var look = FIRST_LOOK; !members.isEmpty(); look = next(look)) {
            if (System.nanoTime() - deadline > 0) {
                log.atError()
                        .addKeyValue("pid", tree.pid())
                        .addKeyValue("survivors", members.stream().map(ProcessEntry::pid).toList())
                        .log("Processes do not die after SIGKILL: look at their state with ps");
                return Result.SURVIVED;
            }
            members.forEach(member -> ProcessTree.signal(member, ProcessSignal.KILL));
            Thread.sleep(look);
            members = members(tree);
        }
        return Result.FORCED;
    }

    private void kill(TreeId tree) {
        members(tree).forEach(member -> ProcessTree.signal(member, ProcessSignal.KILL));
    }

    private List<ProcessEntry> members(TreeId tree) {
        return ProcessTree.of(tree, table.read());
    }

    private static Duration next(Duration look) {
        var doubled = look.multipliedBy(2);
        return doubled.compareTo(LONGEST_LOOK) < 0 ? doubled : LONGEST_LOOK;
    }
}
