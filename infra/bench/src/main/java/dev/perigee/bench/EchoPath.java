package dev.perigee.bench;

/** A way for an echo to go there and back. Closed by the bench when it is measured. */
interface EchoPath extends AutoCloseable {
    /**
     * Sends one echo. A path may never see the same id twice: a fleet takes that for a redelivery
     * and does not answer again.
     *
     * @param answer told once, by any thread, what came back
     */
    void send(long id, Answer answer);

    @Override
    void close();

    /** Who waits for one echo. */
    interface Answer {
        /** The echo is here. */
        void arrived();

        /** There will be no echo. */
        void failed(String reason);
    }
}
