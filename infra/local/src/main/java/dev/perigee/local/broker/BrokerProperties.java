package dev.perigee.local.broker;

import dev.perigee.protocol.settings.HostPort;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The Kafka configuration of a combined node, alone unless overridden, tuned to start fast, to stay
 * small and to take the fleet's records.
 */
final class BrokerProperties {
    static final String CONTROLLER = "CONTROLLER";
    static final String VOTERS = "controller.quorum.voters";
    private static final String NODE_ID = "node.id";
    private static final int LARGEST_RECORD_BYTES = 20 << 20;

    private BrokerProperties() {}

    static int nodeId(Map<String, String> overrides) {
        return Integer.parseInt(overrides.getOrDefault(NODE_ID, "1"));
    }

    static Map<String, String> of(
            Path data, HostPort clients, int controllerPort, Map<String, String> overrides) {
        var controller = "127.0.0.1:" + controllerPort;
        var properties = new HashMap<String, String>();
        properties.put("process.roles", "broker,controller");
        properties.put(NODE_ID, Integer.toString(nodeId(overrides)));
        properties.put(VOTERS, nodeId(overrides) + "@" + controller);
        properties.put("controller.listener.names", CONTROLLER);
        properties.put(
                "listeners", "PLAINTEXT://" + clients + "," + CONTROLLER + "://" + controller);
        properties.put("advertised.listeners", "PLAINTEXT://" + clients);
        properties.put(
                "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        properties.put("log.dirs", data.toString());

        properties.put("auto.create.topics.enable", "false");
        properties.put("num.partitions", "1");
        properties.put("default.replication.factor", "1");
        properties.put("offsets.topic.replication.factor", "1");
        properties.put("offsets.topic.num.partitions", "1");
        properties.put("transaction.state.log.replication.factor", "1");
        properties.put("transaction.state.log.min.isr", "1");
        properties.put("transaction.state.log.num.partitions", "1");
        properties.put("share.coordinator.state.topic.replication.factor", "1");
        properties.put("share.coordinator.state.topic.min.isr", "1");
        properties.put("share.coordinator.state.topic.num.partitions", "1");

        properties.put("message.max.bytes", Integer.toString(LARGEST_RECORD_BYTES));
        properties.put("replica.fetch.max.bytes", Integer.toString(LARGEST_RECORD_BYTES));
        properties.put("log.cleaner.dedupe.buffer.size", "2097152");

        // A killed broker is accepted again after its old session ends.
        properties.put("broker.session.timeout.ms", "2000");
        properties.put("broker.heartbeat.interval.ms", "500");

        // Tests scale session timeouts down; a lone gateway need not wait for companions.
        properties.put("group.initial.rebalance.delay.ms", "0");
        properties.put("group.min.session.timeout.ms", "500");

        // The next transaction of a producer waits for the last one's markers: look often.
        properties.put("add.partitions.to.txn.retry.backoff.ms", "1");
        properties.putAll(overrides);
        return properties;
    }
}
