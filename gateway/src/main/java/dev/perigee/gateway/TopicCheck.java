package dev.perigee.gateway;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether the topics are as a gateway needs them: they exist, those of the process partitions
 * have one count, and each has its cleanup policy. Everything else is {@code perigee topics}'s.
 */
final class TopicCheck {
    private static final long WAIT_SECONDS = 30;
    private static final String ADVICE =
            ": run perigee topics, which creates topics or says what differs";

    private final Admin admin;
    private final TopicNames names;

    TopicCheck(Admin admin, TopicNames names) {
        this.admin = admin;
        this.names = names;
    }

    /**
     * How many partitions the topics of the process partitions have.
     *
     * @throws GatewayStartException when a topic is not as it must be, or the broker is not reached
     */
    PartitionCounts counts() throws InterruptedException {
        var existing = answered(admin.listTopics().names());
        var missing =
                Arrays.stream(Topic.values())
                        .filter(topic -> !topic.isOptional())
                        .map(names::of)
                        .filter(name -> !existing.contains(name))
                        .toList();
        if (!missing.isEmpty()) {
            throw new GatewayStartException(
                    "Missing topics, or no right to see them: "
                            + String.join(", ", missing)
                            + ADVICE
                            + "; perigee acls gateway says which rights are needed");
        }
        var present = names.all().stream().filter(existing::contains).toList();
        var topics = answered(admin.describeTopics(present).allTopicNames());
        checkPolicies(present);
        return counts(topics);
    }

    /** The ids of the topics that come in, by suffix. */
    Map<String, String> ids() throws InterruptedException {
        var ids = new TreeMap<String, String>();
        var wanted = Incarnations.TOPICS.stream().map(names::of).toList();
        var topics = answered(admin.describeTopics(wanted).allTopicNames());
        for (var topic : Incarnations.TOPICS) {
            var found = topics.get(names.of(topic));
            if (found != null) {
                ids.put(topic.suffix(), found.topicId().toString());
            }
        }
        return ids;
    }

    /**
     * The number of process partitions.
     *
     * @param recorded with which the fleet began, null for a new one
     * @throws GatewayStartException when the topics have another, or differ
     */
    static int partitions(PartitionCounts counts, @Nullable Integer recorded) {
        if (recorded != null) {
            var difference = counts.difference(recorded);
            if (difference != null) {
                throw new GatewayStartException(difference);
            }
            return recorded;
        }
        var uniform = counts.uniform();
        if (uniform == null) {
            throw new GatewayStartException(
                    "Topics differ in their number of partitions (" + counts.text() + ")" + ADVICE);
        }
        return uniform;
    }

    private PartitionCounts counts(Map<String, TopicDescription> topics) {
        var counts = new TreeMap<String, Integer>();
        for (var topic : Topic.values()) {
            var description = topics.get(names.of(topic));
            if (topic.isProcessPartitioned() && description != null) {
                counts.put(names.of(topic), description.partitions().size());
            }
        }
        return new PartitionCounts(counts);
    }

    private void checkPolicies(List<String> present) throws InterruptedException {
        var resources =
                present.stream()
                        .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                        .toList();
        var configs = answered(admin.describeConfigs(resources).all());
        for (var topic : Topic.values()) {
            var name = names.of(topic);
            var config = configs.get(new ConfigResource(ConfigResource.Type.TOPIC, name));
            if (config != null && !words(policy(config)).equals(words(topic.cleanup().policy()))) {
                throw new GatewayStartException(
                        "Topic "
                                + name
                                + " has cleanup.policy="
                                + policy(config)
                                + " instead of "
                                + topic.cleanup().policy()
                                + ADVICE);
            }
        }
    }

    private static String policy(Config config) {
        var entry = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        return entry == null || entry.value() == null ? "" : entry.value();
    }

    private static Set<String> words(String list) {
        return Set.copyOf(List.copyOf(Arrays.asList(list.split(",", -1))));
    }

    private static <T> T answered(KafkaFuture<T> future) throws InterruptedException {
        try {
            return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new GatewayStartException(
                    "No Kafka broker at kafka.bootstrap.servers answers within "
                            + WAIT_SECONDS
                            + " s: start it, or correct the address");
        } catch (ExecutionException e) {
            throw new GatewayStartException(
                    "Kafka does not answer as it should, check kafka.*: " + e.getMessage());
        }
    }
}
