package dev.perigee.bench.load;

/** A way for an echo to go there and back. Used by one thread at a time. */
public interface EchoPath {
    /**
     * Sends one echo.
     *
     * @param answer told once, by any thread, what came back
     */
    void send(Answer answer);

    /** Who waits for one echo. */
    interface Answer {
        /** The echo is here. */
        void arrived();

        /** There will be no echo. */
        void failed(String reason);
    }
}
