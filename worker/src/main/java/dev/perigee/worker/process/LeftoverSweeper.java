package dev.perigee.worker.process;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills what earlier incarnations of this worker left on this system. A worker calls it before it
 * starts its own watchdog and before it listens, so that its new incarnation proves its old
 * processes dead. An earlier watchdog is waited for, not killed: it knows more than the marks say,
 * and while it lives its worker may too.
 */
public final class LeftoverSweeper {

    private static final Logger log = LoggerFactory.getLogger(LeftoverSweeper.class);
    private static final Duration LOOK = Duration.ofMillis(50);

    private final ProcessTable table = new ProcessTable();

    /**
     * Blocks until nothing is left.
     *
     * @param owner the new incarnation
     * @param limit how long to wait; more than the retention lets a frozen predecessor be waited
     *     out
     * @return the process ids that were killed
     * @throws IllegalStateException when something is left at the limit; the message says what
     */
    public Set<Long> sweep(ProcessOwner owner, Duration limit) throws InterruptedException {
        var deadline = System.nanoTime() + limit.toNanos();
        var killed = new TreeSet<Long>();
        boolean told = false;
        while (true) {
            var all = table.read();
            var watchdogs = watchdogs(owner, all);
            var leftovers = watchdogs.isEmpty() ? leftovers(owner, all) : List.<ProcessEntry>of();
            if (watchdogs.isEmpty() && leftovers.isEmpty()) {
                if (!killed.isEmpty()) {
                    log.atWarn()
                            .addKeyValue("worker_id", owner.workerId())
                            .addKeyValue("pids", killed)
                            .log("Killed processes that an earlier run of this worker left");
                }
                return killed;
            }
            if (!watchdogs.isEmpty() && !told) {
                told = true;
                log.atWarn()
                        .addKeyValue("worker_id", owner.workerId())
                        .addKeyValue("watchdogs", pids(watchdogs))
                        .addKeyValue("seconds", limit.toSeconds())
                        .log(
                                "Another worker with this id runs on this system, or is ending: waiting for"
                                        + " its end. Stop it, or give this one another worker.id");
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        watchdogs.isEmpty()
                                ? "Processes of an earlier run do not die, pids %s: look at their state with ps"
                                        .formatted(pids(leftovers))
                                : another(owner, watchdogs));
            }
            for (var leftover : leftovers) {
                killed.add(leftover.pid());
                ProcessTree.signal(leftover, ProcessSignal.KILL);
            }
            Thread.sleep(LOOK); // Nobody tells of the death of processes that are not ours.
        }
    }

    /**
     * Makes sure that no other worker of this id started at the same moment, when neither saw the
     * other yet. A worker calls it when its own watchdog guards.
     *
     * @throws IllegalStateException when there is one; of two both may be told
     */
    public void requireAlone(ProcessOwner owner) {
        var others =
                watchdogs(owner, table.read()).stream()
                        .filter(entry -> !owner.watchdogMarker().equals(entry.watchdogOf()))
                        .toList();
        if (!others.isEmpty()) {
            throw new IllegalStateException(another(owner, others));
        }
    }

    private static String another(ProcessOwner owner, List<ProcessEntry> watchdogs) {
        return "Another worker with the id '%s' runs on this system (watchdog pid %s): stop it, or give this one another id"
                .formatted(owner.workerId(), pids(watchdogs));
    }

    private static List<ProcessEntry> watchdogs(ProcessOwner owner, ProcessSnapshot all) {
        return all.entries().stream()
                .filter(
                        entry ->
                                entry.watchdogOf() != null
                                        && entry.watchdogOf().startsWith(owner.workerPrefix()))
                .toList();
    }

    private static List<ProcessEntry> leftovers(ProcessOwner owner, ProcessSnapshot all) {
        return ProcessTree.marked(owner.workerPrefix(), all).stream()
                .filter(
                        entry ->
                                entry.owner() == null
                                        || !entry.owner().startsWith(owner.incarnationPrefix()))
                .toList();
    }

    private static List<Long> pids(List<ProcessEntry> entries) {
        return entries.stream().map(ProcessEntry::pid).toList();
    }
}
