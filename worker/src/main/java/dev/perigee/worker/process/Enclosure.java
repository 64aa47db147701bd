package dev.perigee.worker.process;

/**
 * A jail around one launched program. What is launched then is the jail, and the program runs below
 * it: SIGTERM is for what is inside, the jail's exit code above 128 stands for a signal, and the
 * death of the jail is the death of all that is inside.
 */
@FunctionalInterface
public interface Enclosure {

    /**
     * Gives back what was set up for this one launch. Called once, when nothing inside lives any
     * more or when nothing could be started; on any thread. Does not throw.
     */
    void release();
}
