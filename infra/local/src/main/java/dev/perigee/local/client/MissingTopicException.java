package dev.perigee.local.client;

import dev.perigee.protocol.topic.TopicNames;

/** The broker does not have a topic of the contract. */
public final class MissingTopicException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MissingTopicException(KafkaConnection connection, String topic) {
        super(
                "Topic "
                        + topic
                        + " does not exist: create the topics with 'perigee topics"
                        + (connection.names().prefix().equals(TopicNames.DEFAULT_PREFIX)
                                ? ""
                                : " --prefix " + connection.names().prefix())
                        + "', or name the right ones with --prefix.");
    }
}
