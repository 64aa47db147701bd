package dev.perigee.client;

/** The broker does not have a topic of the contract. */
public final class MissingTopicException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String prefix;

    MissingTopicException(KafkaConnection connection, String topic) {
        super("Topic " + topic + " does not exist.");
        prefix = connection.names().prefix();
    }

    /** What the names of all topics were expected to begin with. */
    public String prefix() {
        return prefix;
    }
}
