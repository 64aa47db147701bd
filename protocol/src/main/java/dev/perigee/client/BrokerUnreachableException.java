package dev.perigee.client;

/** Failure for want of a broker's answer within {@link KafkaConnection#PATIENCE}; retryable. */
public final class BrokerUnreachableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokerUnreachableException(KafkaConnection connection, Throwable cause) {
        super("No Kafka broker answers at " + connection.bootstrap() + ".", cause);
    }
}
