package dev.perigee.client;

/** No broker answered in time. */
public final class BrokerUnreachableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokerUnreachableException(KafkaConnection connection, Throwable cause) {
        super("No Kafka broker answers at " + connection.bootstrap() + ".", cause);
    }
}
