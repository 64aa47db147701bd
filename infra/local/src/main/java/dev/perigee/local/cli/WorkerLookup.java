package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.TopicTail;
import dev.perigee.part.CliException;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Finds a worker's admin pages by what it last told of itself. */
final class WorkerLookup {
    private static final Duration POLL = Duration.ofMillis(500);

    private WorkerLookup() {}

    /** A worker's whole id, and where its admin pages are. */
    record Found(String workerId, URI admin) {}

    static Found find(String given, KafkaConnection connection) {
        var newest = newest(connection);
        var workerId = full(given, newest.keySet());
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
        return new Found(workerId, admin);
    }

    /**
     * A worker's id, also by what it begins with up to a hyphen: those of {@code perigee dev} are
     * such as worker-2-1f3a9c. What could be several stays as it is.
     */
    static String full(String given, Set<String> ids) {
        var begun = ids.stream().filter(id -> id.startsWith(given + "-")).toList();
        return ids.contains(given) || begun.size() != 1 ? given : begun.getFirst();
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
                            // Gateways write who told it as the key, and the value unread.
                            if (heartbeat.workerId().equals(key(record))) {
                                newest.put(heartbeat.workerId(), heartbeat);
                            }
                        }
                    } catch (InvalidRecordException e) {
                        // Written by something newer or foreign: not ours to read.
                    }
                }
            }
        }
        return newest;
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }
}
