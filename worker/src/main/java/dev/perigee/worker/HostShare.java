package dev.perigee.worker;

import com.sun.management.OperatingSystemMXBean;
import dev.perigee.worker.admin.HostMemory;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Share of the host's memory and processes that all servers of a worker may have together. */
final class HostShare {
    /** Beside its heap a JVM has code, threads and buffers. */
    private static final long LEAST_REST = 128L << 20;

    /** A sixth of 4 GiB holds the bounds that the image sets; more than this it never needs. */
    private static final long MOST_REST = 1L << 30;

    private HostShare() {}

    /** What is configured, else the share of this container or machine; 0 is unlimited. */
    static long bytes(@Nullable Long configured) {
        if (configured != null) {
            return configured;
        }
        var system = system();
        return system == null
                ? 0
                : share(system.getTotalMemorySize(), Runtime.getRuntime().maxMemory());
    }

    /** Of the container where it has a limit, by control groups v1 or v2, else of the machine. */
    private static @Nullable OperatingSystemMXBean system() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system
                : null;
    }

    /**
     * Memory in bytes that is free or can be freed; always 0 where the servers' share is
     * configured, which is then less than all there is.
     */
    static LongSupplier available(@Nullable Long configured) {
        var memory = new HostMemory(Path.of("/"));
        return () -> configured == null ? available(memory.now(), system()) : 0;
    }

    /**
     * @param now as far as control groups of v2 tell
     * @param system which v1 limits, too
     */
    private static long available(HostMemory.Amount now, @Nullable OperatingSystemMXBean system) {
        if (system == null || !(now.limit() > 0)) {
            return 0;
        }
        return system.getTotalMemorySize() < (long) now.limit()
                ? system.getFreeMemorySize()
                : (long) now.available();
    }

    /**
     * Processes and threads: what is configured, else three quarters of what there can be; 0 is
     * unlimited.
     *
     * @param most as {@link HostProcesses} tells it
     */
    static int processes(@Nullable Integer configured, long most) {
        if (configured != null) {
            return configured;
        }
        return most == HostProcesses.UNKNOWN ? 0 : Math.clamp(most / 4 * 3, 1, Integer.MAX_VALUE);
    }

    /** All but the worker's heap and what it needs beside, at least a quarter. */
    static long share(long allBytes, long heapBytes) {
        long rest = Math.clamp(allBytes / 6, LEAST_REST, MOST_REST);
        long reserve = Math.max(allBytes / 10, rest);
        return Math.max(allBytes - heapBytes - reserve, allBytes / 4);
    }
}
