package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.Enclosure;
import dev.perigee.worker.process.Tenant;
import dev.perigee.worker.process.TreeLimits;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Resources that were set up for one jail.
 *
 * @param limits of all that is inside
 * @param tenant whose it is
 * @param home where all that it may write to disk is; null for what only removes files
 * @param groups where its control group is from; null without one
 * @param group its control group; null without one
 * @param last done when nothing inside lives any more
 */
record JailEnclosure(
        TreeLimits limits,
        Tenant tenant,
        @Nullable Path home,
        @Nullable MemoryGroups groups,
        @Nullable Path group,
        Runnable last)
        implements Enclosure {

    @Override
    public boolean ranOutOfMemory() {
        return groups != null && group != null && groups.killedIn(group);
    }

    @Override
    public boolean hasGroup() {
        return group != null;
    }

    @Override
    public long cpuNanos() {
        return groups == null || group == null ? -1 : groups.cpuNanos(group);
    }

    @Override
    public long memoryBytes() {
        return groups == null || group == null ? -1 : groups.memoryBytes(group);
    }

    @Override
    public long diskTraffic() {
        return groups == null || group == null ? 0 : groups.diskTraffic(group);
    }

    @Override
    public void release() {
        if (groups != null && group != null) {
            groups.remove(group);
        }
        last.run();
    }
}
