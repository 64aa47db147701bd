package dev.perigee.bench;

/** A way for an echo to go there and back. Closed by the bench when it is measured. */
interface EchoPath extends AutoCloseable {
    /** Sends one echo; {@code answered} is run once, by any thread, when its answer is here. */
    void send(long id, Runnable answered);

    @Override
    void close();
}
