package dev.perigee.gateway.console;

/** Action that goes on behind the answer to who asked for it. */
interface LongAction {
    /** How far it came. Any thread. */
    ActionProgress progress();

    /**
     * Records it: what cannot be recorded is refused, and nothing was done.
     *
     * @throws ActionRefusedException when it cannot be recorded
     */
    void begin() throws ActionRefusedException, InterruptedException;
}
