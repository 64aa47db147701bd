package dev.perigee.local.connect;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.MissingTopicException;
import dev.perigee.client.PerigeeClient;
import dev.perigee.protocol.topic.Topic;
import java.util.function.Consumer;

/**
 * Client of a fleet, with events of running calls where it publishes them.
 *
 * @param events false of a fleet whose topics are of an earlier version
 */
record FleetClient(PerigeeClient client, boolean events) {
    /**
     * Connects.
     *
     * @param note takes what only a person can act on
     * @throws MissingTopicException when a topic is not there that has to be
     */
    static FleetClient connect(KafkaConnection kafka, Consumer<String> note) {
        try {
            return new FleetClient(PerigeeClient.connectWithEvents(kafka), true);
        } catch (MissingTopicException e) {
            var client = PerigeeClient.connect(kafka);
            note.accept(
                    "There is no topic "
                            + kafka.name(Topic.CALL_EVENTS)
                            + ": no progress, messages and questions of running calls.");
            return new FleetClient(client, false);
        }
    }
}
