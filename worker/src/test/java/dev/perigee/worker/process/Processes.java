package dev.perigee.worker.process;

import java.util.List;

/** Looks at what lives on this system. */
final class Processes {

    private Processes() {}

    /** Live processes that carry the mark of any incarnation of this worker. */
    static List<Long> marked(ProcessOwner owner) {
        return ProcessTree.marked(owner.workerId() + ':', new ProcessTable().read()).stream()
                .map(ProcessEntry::pid)
                .toList();
    }

    static boolean alive(long pid) {
        var stat = ProcStat.read(pid);
        return stat != null && stat.alive();
    }
}
