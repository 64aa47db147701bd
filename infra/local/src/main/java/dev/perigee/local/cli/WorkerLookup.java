package dev.perigee.local.cli;

import dev.perigee.local.client.KafkaConnection;
import dev.perigee.local.client.TopicTail;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Finds a worker's admin pages by what it last told of itself. */
final class WorkerLookup {
    private static final Duration POLL = Duration.ofMillis(500);

    private WorkerLookup() {}

    static URI adminOf(String workerId, KafkaConnection connection) {
        var newest = newest(connection);
        var heartbeat = newest.get(workerId);
        if (heartbeat == null) {
            throw CliException.usage(
                    "No worker "
                            + workerId
                            + " has told of itself"
                            + (newest.isEmpty()
                                    ? ", nor has any other: name its pages with --admin URL"
                                    : "; there are " + String.join(", ", newest.keySet())));
        }
        var admin = heartbeat.adminUrl();
        if (admin == null) {
            throw CliException.usage(
                    "Worker "
                            + workerId
                            + " does not tell where its admin pages are: name them with --admin"
                            + " URL");
        }
        return admin;
    }

    private static Map<String, Heartbeat> newest(KafkaConnection connection) {
        var newest = new TreeMap<String, Heartbeat>();
        try (var tail =
                TopicTail.open(connection, new TopicTail.Start.Beginning(), Topic.HEARTBEATS)) {
            while (!tail.hasCaughtUp()) {
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
        }
        return newest;
    }
}
