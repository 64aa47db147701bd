package dev.perigee.worker.process;

import org.jspecify.annotations.Nullable;

/**
 * Identifies a child and everything that descends from it.
 *
 * @param pid the child's process id, which is also its session's and its process group's where the
 *     launcher gives each child a session
 * @param startTime when it started, in the kernel's ticks since boot (field 22 of {@code
 *     /proc/pid/stat}), so that a reused pid is not taken for it; 0 where not known
 * @param marker the value of {@link ProcessOwner#VARIABLE} in its environment, null if not marked
 */
public record TreeId(long pid, long startTime, @Nullable String marker) {}
