package dev.perigee.worker.instance;

import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.ToolOrder;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All instances of one partition on this worker, for as long as its session lives. Opened by {@link
 * InstanceHost#open}.
 *
 * <p>Each submit returns at once, and orders of one instance take effect in the order in which they
 * were submitted. Repeats of one order are the caller's to recognise. Safe for use by any thread.
 */
public interface PartitionInstances {

    /**
     * Brings an instance to a configuration. A newer one overtakes it while it is under way; it
     * then completes with {@code superseded_by}.
     */
    PendingOutcome apply(InstanceOrder.Apply order);

    /** Stops by intent: neither restarted nor respawned. */
    PendingOutcome stop(InstanceOrder.Simple order);

    /** Restarts with a fresh crash budget. */
    PendingOutcome restart(InstanceOrder.Simple order);

    /** Removes completely; of an instance that is not here it completes with false and false. */
    PendingOutcome remove(InstanceOrder.Simple order);

    /** Discovers the tools of an HTTP or SSE server again; processes are skipped. */
    PendingOutcome recover(InstanceOrder.Simple order);

    /** Hides and refuses one tool, or restores it. */
    PendingOutcome switchTool(InstanceOrder.SwitchTool order);

    /** Asks the server whether it is well. */
    PendingOutcome checkHealth(InstanceOrder.HealthCheck order);

    /**
     * Accepts or answers a request; returns at once. An accepted one has its result appended to its
     * instance's journal exactly once, also after {@link #terminateAll}.
     */
    ToolOrder.Accepted execute(ToolOrder.Execute order);

    /** Cancels a request that was accepted; its result still comes, once. */
    ToolOrder.Cancelled cancel(ToolOrder.Cancel order);

    /** All instances, as they are now; does not wait for any of them. */
    List<InstanceSnapshot> describe();

    /** One instance as it is now, null when it is not here. */
    @Nullable InstanceSnapshot describe(String processId);

    /**
     * Ends everything: requests are answered, logs flushed, process trees gone when this returns.
     * No status and no lifecycle event is published, since the instances continue elsewhere. Later
     * orders fail and later requests are answered {@code unavailable}. Blocks for the graceful
     * termination at most, and never longer than this.
     */
    void terminateAll(Duration limit);
}
