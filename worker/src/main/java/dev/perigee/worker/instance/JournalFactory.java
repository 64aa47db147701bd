package dev.perigee.worker.instance;

/** Source of instances' journals; implemented by the session of a partition. */
public interface JournalFactory {

    /**
     * The journal of an instance that was not there before. Where the session had an instance of
     * the same process id that was removed, its numbers go on. Called on the thread that submits
     * the first {@code apply}, or that of the removed instance; does not block and does not call
     * the partition's instances.
     */
    InstanceJournal open(InstanceIdentity identity);
}
