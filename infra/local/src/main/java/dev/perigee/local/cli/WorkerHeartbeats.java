package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.TopicTail;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The workers of a fleet by their newest heartbeats. Used by one thread. */
final class WorkerHeartbeats implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(500);

    private final TopicTail tail;
    private final NavigableMap<String, Heartbeat> newest = new TreeMap<>();

    private WorkerHeartbeats(TopicTail tail) {
        this.tail = tail;
    }

    /** Opens the view and reads all heartbeats there are. */
    static WorkerHeartbeats open(KafkaConnection connection) {
        var view =
                new WorkerHeartbeats(
                        TopicTail.open(
                                connection, new TopicTail.Start.Beginning(), Topic.HEARTBEATS));
        while (!view.tail.hasCaughtUp()) {
            view.poll();
        }
        return view;
    }

    /** Takes what came, waiting up to half a second for it. */
    void poll() {
        for (var record : tail.poll(POLL)) {
            try {
                if (record.value() != null) {
                    var heartbeat = Json.read(record.value(), Heartbeat.class);
                    newest.put(heartbeat.workerId(), heartbeat);
                }
            } catch (InvalidRecordException e) {
                // Written by something newer or foreign: not ours to read.
            }
        }
    }

    @Nullable Heartbeat worker(String id) {
        return newest.get(id);
    }

    /** Those heard of since a moment, by id. */
    Map<String, Heartbeat> since(Instant moment) {
        var living = new TreeMap<>(newest);
        living.values().removeIf(heartbeat -> heartbeat.timestamp().isBefore(moment));
        return living;
    }

    @Override
    public void close() {
        tail.close();
    }
}
