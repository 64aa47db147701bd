package dev.perigee.worker.instance;

/**
 * Host of the instances of one worker: the launcher, the slots for starting, the clock. One per
 * worker; its partitions are opened and ended by their sessions.
 */
public interface InstanceHost {

    /** The instances of a partition whose session was just created: none yet. */
    PartitionInstances open(int partition, JournalFactory journals);

    /** Stops what is shared. Every partition must have been ended before. */
    void close();
}
