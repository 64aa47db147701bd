package dev.perigee.local.replay;

import dev.perigee.client.BrokerUnreachableException;
import dev.perigee.client.KafkaConnection;
import dev.perigee.protocol.topic.Topic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * One side of a replay, as it was found.
 *
 * @param option the option that names it, for messages
 * @param id the cluster's own id
 * @param partitions how many process partitions there are
 */
record Cluster(KafkaConnection connection, String option, String id, int partitions) {
    private static final long PATIENCE_SECONDS = 15;

    /** What would make a reader write, or belongs to one program only. */
    private static final Set<String> NOT_OURS =
            Set.of(
                    "group.id",
                    "group.instance.id",
                    "group.protocol",
                    "enable.auto.commit",
                    "auto.offset.reset",
                    "isolation.level",
                    "allow.auto.create.topics",
                    "transactional.id",
                    "enable.idempotence",
                    "acks",
                    "key.serializer",
                    "value.serializer",
                    "key.deserializer",
                    "value.deserializer");

    /**
     * Looks at a cluster; changes nothing.
     *
     * @throws ReplayException when it does not answer or its topics are not as they must be
     */
    static Cluster look(KafkaConnection given, String option) throws InterruptedException {
        var properties = new HashMap<>(given.properties());
        properties.keySet().removeAll(NOT_OURS);
        var connection = new KafkaConnection(given.bootstrap(), given.names(), properties);
        var commands = connection.names().of(Topic.COMMANDS);
        var requests = connection.names().of(Topic.TOOL_REQUESTS);
        try (var admin = Admin.create(connection.clientConfig(Map.of()))) {
            var id = answered(admin.describeCluster().clusterId());
            var topics =
                    answered(admin.describeTopics(List.of(commands, requests)).allTopicNames());
            int partitions = count(topics, commands);
            if (partitions != count(topics, requests)) {
                throw ReplayException.failed(
                        commands + " and " + requests + " have different numbers of partitions");
            }
            return new Cluster(connection, option, id, partitions);
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                throw ReplayException.unavailable(
                        option
                                + " "
                                + connection.bootstrap()
                                + " lacks "
                                + commands
                                + " or "
                                + requests
                                + ": name its prefix by "
                                + option
                                + "-prefix, or create its topics with 'perigee topics'");
            }
            throw explained(connection, option, e);
        }
    }

    private static int count(Map<String, TopicDescription> topics, String name) {
        var topic = topics.get(name);
        return topic == null ? 0 : topic.partitions().size();
    }

    /** The value of a future, waited for with a limit. */
    static <T> T answered(KafkaFuture<T> future)
            throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Cluster id, slash and topic prefix: what {@link ReplayHeaders#OF} begins with. */
    String name() {
        return id + "/" + connection.names().prefix();
    }

    String topic(Topic topic) {
        return connection.names().of(topic);
    }

    /**
     * A reader of what is there. It belongs to no group, so that it cannot leave a trace in the
     * cluster.
     */
    KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> more) {
        var config = new HashMap<>(more);
        config.putIfAbsent("auto.offset.reset", "none");
        config.put("fetch.max.wait.ms", KafkaConnection.SHORT_FETCH_MS);
        try {
            return connection.consumer(config);
        } catch (KafkaException e) {
            throw explained(e);
        }
    }

    RuntimeException explained(Throwable failure) {
        return explained(connection, option, failure);
    }

    private static RuntimeException explained(
            KafkaConnection connection, String option, Throwable failure) {
        var explained = connection.explained(failure);
        return explained instanceof BrokerUnreachableException
                ? ReplayException.unavailable(
                        "No Kafka broker answers at "
                                + option
                                + " "
                                + connection.bootstrap()
                                + ": correct the address, or try again when it does")
                : explained;
    }
}
