package dev.perigee.local.client;

/** The broker does not have a topic of the contract. */
public final class MissingTopicException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MissingTopicException(String topic) {
        super("Topic " + topic + " does not exist: create the topics with 'perigee topics'.");
    }
}
