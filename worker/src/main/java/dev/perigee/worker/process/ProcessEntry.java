package dev.perigee.worker.process;

import org.jspecify.annotations.Nullable;

/**
 * One live process of this system.
 *
 * @param stat its place among the others
 * @param owner the value of {@link ProcessOwner#VARIABLE} in its environment, null if absent or not
 *     readable
 * @param watchdogOf the value of {@link WatchdogHelper#VARIABLE} in its environment, null likewise
 * @param jailed whether it is in a process namespace other than this worker's
 */
record ProcessEntry(
        ProcStat stat, @Nullable String owner, @Nullable String watchdogOf, boolean jailed) {

    /** The same process, looked at again. */
    ProcessEntry with(ProcStat newer) {
        return new ProcessEntry(newer, owner, watchdogOf, jailed);
    }

    long pid() {
        return stat.pid();
    }
}
