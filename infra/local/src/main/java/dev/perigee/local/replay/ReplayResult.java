package dev.perigee.local.replay;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Result of a replay or of its dry run.
 *
 * @param findings of this process, where a run was resumed
 * @param byPartition copies by partition of the target, of this process
 * @param comparison null of a dry run
 */
public record ReplayResult(
        Plan plan,
        int sourcePartitions,
        int targetPartitions,
        Tally.Counts counts,
        RewriteFindings findings,
        Map<Integer, Long> byPartition,
        @Nullable Comparison comparison) {}
