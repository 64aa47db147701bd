package dev.perigee.worker;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** How much memory the servers of a worker may have together. */
final class HostShare {
    /** Beside its heap a JVM has code, threads and buffers. */
    private static final long REST_OF_WORKER = 128L << 20;

    private HostShare() {}

    /** What is configured, else the share of this container or machine; 0 is unlimited. */
    static long bytes(@Nullable Long configured) {
        if (configured != null) {
            return configured;
        }
        // The container's where it has a limit, by control groups v1 or v2.
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? share(system.getTotalMemorySize(), Runtime.getRuntime().maxMemory())
                : 0;
    }

    /** All but the worker's heap and a tenth, at least a quarter. */
    static long share(long allBytes, long heapBytes) {
        long reserve = Math.max(allBytes / 10, REST_OF_WORKER);
        return Math.max(allBytes - heapBytes - reserve, allBytes / 4);
    }
}
