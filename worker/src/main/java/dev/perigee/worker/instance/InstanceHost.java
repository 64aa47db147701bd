package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;

/**
 * Host of the instances of one worker: the launcher, the slots for starting, the clock. One per
 * worker; its partitions are opened and ended by their sessions.
 */
public interface InstanceHost {

    /** The instances of a partition whose session was just created: none yet. */
    PartitionInstances open(int partition, JournalFactory journals);

    /**
     * Has what a start of this configuration needs be there, such as its package; what fails is
     * left to the start. Starts nothing. Blocks until that is done.
     */
    void prepare(ServerConfig config) throws InterruptedException;

    /** Stops what is shared. Every partition must have been ended before. */
    void close();
}
