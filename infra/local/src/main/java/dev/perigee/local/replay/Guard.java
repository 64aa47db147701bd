package dev.perigee.local.replay;

import dev.perigee.client.TopicTail;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Refuses a target that looks like the source. */
final class Guard {
    private Guard() {}

    /**
     * Returns when the two are different fleets.
     *
     * @throws ReplayException when they are one and the same
     */
    static void check(Cluster source, Cluster target) {
        if (source.name().equals(target.name())) {
            throw ReplayException.usage(
                    "--to is --from: both are cluster "
                            + source.id()
                            + " with prefix "
                            + source.connection().names().prefix()
                            + ". Name a staging cluster, or another prefix by --to-prefix");
        }
        var ofSource = workers(source);
        for (var worker : workers(target).entrySet()) {
            if (worker.getValue().equals(ofSource.get(worker.getKey()))) {
                throw ReplayException.usage(
                        "--to has the same live worker "
                                + worker.getKey()
                                + " as --from: it is a mirror of the source, or another way to it."
                                + " Name the topics of a staging fleet");
            }
        }
    }

    /** The start of each worker that has sent a heartbeat: no two starts have the same name. */
    private static Map<String, String> workers(Cluster cluster) {
        var workers = new HashMap<String, String>();
        Witness.read(
                cluster,
                new TopicTail.Start.Beginning(),
                List.of(Topic.HEARTBEATS),
                record -> {
                    try {
                        if (record.value() != null) {
                            var heartbeat = Json.read(record.value(), Heartbeat.class);
                            workers.put(heartbeat.workerId(), heartbeat.incarnation());
                        }
                    } catch (InvalidRecordException e) {
                        // Not one that tells us anything.
                    }
                });
        return workers;
    }
}
