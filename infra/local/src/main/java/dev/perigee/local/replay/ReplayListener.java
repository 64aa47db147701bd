package dev.perigee.local.replay;

/** Is told what a replay does while it does it, by the replay's thread. */
public interface ReplayListener {
    /**
     * Reading begins.
     *
     * @param isResumed the run began earlier
     */
    void began(Plan plan, boolean isResumed);

    /** It goes on; called often. */
    void moved(ReplayProgress progress);

    /** Everything was sent; so many results are still awaited. Called often. */
    void awaiting(long open);

    /** Something the user should know. */
    void warn(String message);
}
