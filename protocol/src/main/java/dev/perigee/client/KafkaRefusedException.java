package dev.perigee.client;

/** Refusal by a broker, or properties of which no client can be made; not retryable. */
public final class KafkaRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean configuration;

    KafkaRefusedException(String message, boolean configuration, Throwable cause) {
        super(message, cause);
        this.configuration = configuration;
    }

    /** True when the given properties are to blame, false when a broker refused. */
    public boolean isOurConfiguration() {
        return configuration;
    }
}
