package dev.perigee.protocol.topic;

import dev.perigee.protocol.json.Require;

/**
 * Where a record was read: the identity of a command or request, also after a failover.
 *
 * @param topic full topic name
 */
public record RecordOrigin(String topic, int partition, long offset) {
    public RecordOrigin {
        Require.present(topic, "topic");
    }

    /** As in headers and ids: {@code topic-partition@offset}. */
    @Override
    public String toString() {
        return topic + "-" + partition + "@" + offset;
    }
}
