package dev.perigee.worker.secret;

import java.time.Duration;

/** Provider of secrets. Safe for use by any thread. */
interface SecretSource {
    /**
     * The value now. Waits, until the deadline at most.
     *
     * @param deadlineNanos in terms of {@link System#nanoTime}
     * @throws SecretException when there is none, or none in time
     */
    String read(SecretAddress address, long deadlineNanos)
            throws SecretException, InterruptedException;

    /** How many configurations are resolved at a time. */
    int parallel();

    /** How long the secrets of one configuration may take, all together. */
    Duration limit();

    /** How old a value may be that a request over HTTP is sent with; zero asks for each. */
    Duration reuse();
}
