package dev.perigee.gateway.link;

import dev.perigee.protocol.config.ServerConfig;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The links to all workers. Each is dialled, and dialled again, from {@code start} to {@code
 * close}, or until no name leads to it any more; a worker's id is learned when it answers. Any
 * thread may call.
 */
public interface WorkerLinks extends AutoCloseable {
    /**
     * Opens the session of a partition. Returns at once; the listener hears what comes of it. Calls
     * on the session wait until it is attached.
     *
     * @param incarnation the worker process that the owner recorded as the partition's host: no
     *     other one gets the session
     * @param create whether to create the session where the worker has none: only with a fresh
     *     claim. Applies to the first attach; later ones only resume
     * @throws IllegalArgumentException when no worker of that id was reached yet, or it is another
     *     process by now, or given up
     * @throws IllegalStateException when the partition is open there under this or a newer claim; a
     *     session of an older claim is replaced
     */
    PartitionLink open(
            PartitionClaim claim,
            String workerId,
            String incarnation,
            boolean create,
            SessionListener listener);

    /** All workers that are named or still linked, in the order of the configuration. */
    List<WorkerView> workers();

    /**
     * The ids of connected workers that answered one of the last two pings. So when one gateway has
     * heard nothing of a worker for a few intervals more, no other one counts it either, unless the
     * worker still answers that one.
     */
    Set<String> heard();

    /**
     * Tells a worker that drains why this gateway's partitions stay there; never blocks. What was
     * told is forgotten there after a few seconds.
     */
    void stays(String workerId, String reason);

    /**
     * Has a worker prepare what starts of these configurations need, and waits for that. What is
     * not prepared by then, or cannot be, is left to the starts; so is all where the worker is not
     * connected, or of an older version.
     */
    void prepare(String workerId, List<ServerConfig> configs, Duration atMost)
            throws InterruptedException;

    /** Closes all connections without detaching: sessions live on for the worker's retention. */
    @Override
    void close();
}
