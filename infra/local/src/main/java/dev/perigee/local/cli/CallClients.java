package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;

/** Source of the clients that calls are made with. For one thread. */
interface CallClients {
    /** A client of its own for each call. */
    CallClients ONE_EACH =
            new CallClients() {
                @Override
                public PerigeeClient open(KafkaConnection connection, boolean events) {
                    return events
                            ? PerigeeClient.connectWithEvents(connection)
                            : PerigeeClient.connect(connection);
                }

                @Override
                public void done(PerigeeClient client, boolean answered) {
                    client.close();
                }
            };

    /**
     * A client for one call, connected; throws what {@link PerigeeClient#connect} throws.
     *
     * @param events whether it reads the events of running calls, too
     */
    PerigeeClient open(KafkaConnection connection, boolean events);

    /**
     * Takes a client back.
     *
     * @param answered whether its call had an answer
     */
    void done(PerigeeClient client, boolean answered);
}
