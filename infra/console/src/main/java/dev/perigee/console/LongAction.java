package dev.perigee.console;

/**
 * Action that goes on behind the answer to who asked for it. Its thread begins and runs it; to stop
 * it is to say why and to interrupt that thread.
 */
interface LongAction {
    /** Why an action ends that nobody stops. */
    String GATEWAY_ENDS = "The gateway ends.";

    /** How far it came. Any thread. */
    ActionProgress progress();

    /**
     * Records it: what cannot be recorded is refused, and nothing was done.
     *
     * @throws ActionRefusedException when it cannot be recorded
     * @throws InterruptedException when it is stopped; in both cases what was recorded is recorded
     *     as failed, too
     */
    void begin() throws ActionRefusedException, InterruptedException;

    /** Does it, once it is recorded. */
    void run();

    /** Why it is stopped; before its thread is interrupted. Any thread. */
    void stopFor(String why);
}
