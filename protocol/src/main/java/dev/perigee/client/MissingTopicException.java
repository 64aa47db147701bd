package dev.perigee.client;

/** Absence of a topic of the contract at the broker; {@code perigee topics} creates it. */
public final class MissingTopicException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String prefix;

    MissingTopicException(KafkaConnection connection, String topic) {
        super("Topic " + topic + " does not exist.");
        prefix = connection.names().prefix();
    }

    /** The prefix under which all topics were expected. */
    public String prefix() {
        return prefix;
    }
}
