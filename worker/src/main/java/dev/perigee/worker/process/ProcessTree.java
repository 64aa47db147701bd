package dev.perigee.worker.process;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds what belongs to a child among all processes: the child, its session, whatever carries its
 * mark, and all that descends from any of these. Pure: works on a table that was read before.
 *
 * <p>A process escapes this only by doing all three: leaving the session, outliving its parent, and
 * wiping its environment. The jail's process namespace is what holds such a one.
 */
final class ProcessTree {

    private ProcessTree() {}

    /** The live processes of one child's tree. */
    static List<ProcessEntry> of(TreeId root, Collection<ProcessEntry> table) {
        var own = table.stream().filter(entry -> entry.pid() == root.pid()).findFirst();
        // A process of that number with another start is a stranger, and so is its session.
        var reused =
                own.isPresent()
                        && root.startTime() != 0
                        && own.get().stat().startTime() != root.startTime();
        return closure(
                table,
                entry ->
                        (!reused
                                        && (entry.pid() == root.pid()
                                                || entry.stat().session() == root.pid()))
                                || (root.marker() != null && root.marker().equals(entry.owner())));
    }

    /** The live processes of every child whose mark begins like this. */
    static List<ProcessEntry> marked(String prefix, Collection<ProcessEntry> table) {
        return closure(table, entry -> entry.owner() != null && entry.owner().startsWith(prefix));
    }

    private static List<ProcessEntry> closure(
            Collection<ProcessEntry> table, Predicate<ProcessEntry> seed) {
        var children = new HashMap<Long, Set<Long>>();
        for (var entry : table) {
            children.computeIfAbsent(entry.stat().parent(), _ -> new HashSet<>()).add(entry.pid());
        }
        var members = new HashSet<Long>();
        var found = new ArrayDeque<Long>();
        table.stream().filter(seed).forEach(entry -> found.add(entry.pid()));
        for (Long pid; (pid = found.poll()) != null; ) {
            if (members.add(pid)) {
                found.addAll(children.getOrDefault(pid, Set.of()));
            }
        }
        members.remove(ProcessHandle.current().pid());
        return table.stream().filter(entry -> members.contains(entry.pid())).toList();
    }

    /** Signals one process, unless its number belongs to another one by now. */
    static void signal(ProcessEntry entry, ProcessSignal signal) {
        var now = ProcStat.startTime(entry.pid());
        if (now != 0 && now != entry.stat().startTime()) {
            return;
        }
        ProcessHandle.of(entry.pid())
                .ifPresent(
                        handle -> {
                            switch (signal) {
                                case TERM -> handle.destroy();
                                case KILL -> handle.destroyForcibly();
                            }
                        });
    }
}
