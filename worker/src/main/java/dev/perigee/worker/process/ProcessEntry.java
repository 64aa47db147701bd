package dev.perigee.worker.process;

import org.jspecify.annotations.Nullable;

/**
 * One live process of this system.
 *
 * @param stat its place among the others
 * @param owner the value of {@link ProcessOwner#VARIABLE} in its environment, null if absent or not
 *     readable
 * @param watchdogOf the value of {@link Watchdog#VARIABLE} in its environment, null likewise
 */
record ProcessEntry(ProcStat stat, @Nullable String owner, @Nullable String watchdogOf) {

    long pid() {
        return stat.pid();
    }
}
