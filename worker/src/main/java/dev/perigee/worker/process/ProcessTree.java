package dev.perigee.worker.process;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds what belongs to a child among all processes: the child, its session, whatever carries its
 * mark, and all that descends from any of these. Pure: works on a table that was read before.
 *
 * <p>A process escapes this only by doing all three: leaving the session, outliving its parent, and
 * wiping its environment. The jail's process namespace is what holds such a one.
 */
final class ProcessTree {

    private ProcessTree() {}

    /** The live processes of one child's tree, in the order of their ids. */
    static List<ProcessEntry> of(TreeId root, ProcessSnapshot table) {
        var found = new ArrayDeque<>(table.ofOwner(root.marker()));
        var own = table.find(root.pid());
        // A process of that number with another start is a stranger, and so is its session.
        boolean reused =
                own != null && root.startTime() != 0 && own.stat().startTime() != root.startTime();
        if (!reused) {
            found.add(root.pid());
            found.addAll(table.ofSession(root.pid()));
        }
        return closure(table, found);
    }

    /** The live processes of every child whose mark begins like this. */
    static List<ProcessEntry> marked(String prefix, ProcessSnapshot table) {
        var found = new ArrayDeque<Long>();
        for (var entry : table.entries()) {
            if (entry.owner() != null && entry.owner().startsWith(prefix)) {
                found.add(entry.pid());
            }
        }
        return closure(table, found);
    }

    private static List<ProcessEntry> closure(ProcessSnapshot table, ArrayDeque<Long> found) {
        var members = new TreeMap<Long, ProcessEntry>();
        for (Long pid; (pid = found.poll()) != null; ) {
            var entry = table.find(pid);
            if (entry != null && members.putIfAbsent(pid, entry) == null) {
                found.addAll(table.childrenOf(pid));
            }
        }
        members.remove(ProcessHandle.current().pid());
        return List.copyOf(members.values());
    }

    /**
     * The first process of a jail's namespace, which no program in it is; null where there is none
     * yet. All others of the namespace descend from it.
     */
    static @Nullable ProcessEntry firstOfJail(List<ProcessEntry> members) {
        var inside = new HashSet<Long>();
        members.stream().filter(ProcessEntry::jailed).forEach(it -> inside.add(it.pid()));
        return members.stream()
                .filter(ProcessEntry::jailed)
                .filter(it -> !inside.contains(it.stat().parent()))
                .findFirst()
                .orElse(null);
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
