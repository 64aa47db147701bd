package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Clients that stay connected from one call to the next: at most two, with events and without, to
 * the brokers of the last call. One whose call had no answer is closed. For one thread.
 */
final class KeptClients implements CallClients, AutoCloseable {
    private final Map<Boolean, PerigeeClient> byEvents = new HashMap<>();
    private @Nullable KafkaConnection connected;

    @Override
    public PerigeeClient open(KafkaConnection connection, boolean events) {
        if (!connection.equals(connected)) {
            close();
            connected = connection;
        }
        var kept = byEvents.get(events);
        if (kept == null) {
            kept = ONE_EACH.open(connection, events);
            byEvents.put(events, kept);
        }
        return kept;
    }

    @Override
    public void done(PerigeeClient client, boolean answered) {
        if (!answered) {
            byEvents.values().remove(client);
            client.close();
        }
    }

    @Override
    public void close() {
        byEvents.values().forEach(PerigeeClient::close);
        byEvents.clear();
    }
}
