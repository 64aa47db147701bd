package dev.perigee.client;

/** A broker answered no, or the client could not be made: trying again does not help. */
public final class KafkaRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean configuration;

    KafkaRefusedException(String message, boolean configuration, Throwable cause) {
        super(message, cause);
        this.configuration = configuration;
    }

    /** Whether what we were given to connect with is to blame. */
    public boolean isOurConfiguration() {
        return configuration;
    }
}
