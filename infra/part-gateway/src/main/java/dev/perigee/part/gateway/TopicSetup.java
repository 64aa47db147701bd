package dev.perigee.part.gateway;

import dev.perigee.client.BrokerUnreachableException;
import dev.perigee.client.KafkaConnection;
import dev.perigee.client.KafkaRefusedException;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.jspecify.annotations.Nullable;

/**
 * Creates the topics that are missing and compares the others with the contract. It never changes a
 * topic that exists: partitions cannot be changed in place, and settings may be somebody's choice.
 */
public final class TopicSetup implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(20);

    private final KafkaConnection connection;
    private final Admin admin;

    public TopicSetup(KafkaConnection connection) {
        this.connection = connection;
        try {
            admin = Admin.create(connection.clientConfig(Map.of()));
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /** What was done and what is left to do. */
    public record Outcome(
            int partitions, List<String> created, List<TopicDifference> differences) {}

    /**
     * Creates and compares.
     *
     * @param partitions wanted number of process partitions; null takes that of the topics that
     *     exist
     * @param otherwise number of process partitions where none is wanted and no topic exists
     * @param replicas of new topics; null leaves it to the broker
     * @param dryRun creates nothing, reports missing topics as differences
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws KafkaRefusedException when the broker says no
     */
    public Outcome apply(
            @Nullable Integer partitions, int otherwise, @Nullable Short replicas, boolean dryRun)
            throws InterruptedException {
        var existing = describe();
        var plan =
                new TopicPlan(partitions == null ? partitionsOf(existing, otherwise) : partitions);
        var missing =
                Arrays.stream(Topic.values())
                        .filter(topic -> !existing.containsKey(connection.name(topic)))
                        .toList();
        var created = dryRun ? List.<String>of() : create(missing, plan, replicas);
        var differences = new ArrayList<TopicDifference>();
        if (dryRun) {
            for (var topic : missing) {
                differences.add(
                        new TopicDifference(
                                connection.name(topic), "(topic)", "exists", "missing"));
            }
        }
        differences.addAll(compare(plan, existing));
        return new Outcome(plan.partitions(), created, differences);
    }

    private int partitionsOf(Map<String, TopicDescription> existing, int otherwise) {
        for (var topic : Topic.values()) {
            var description = existing.get(connection.name(topic));
            if (topic.isProcessPartitioned() && description != null) {
                return description.partitions().size();
            }
        }
        return otherwise;
    }

    private Map<String, TopicDescription> describe() throws InterruptedException {
        var names = answered(admin.listTopics().names());
        var ours = connection.names().all().stream().filter(names::contains).toList();
        return answered(admin.describeTopics(ours).allTopicNames());
    }

    private List<String> create(List<Topic> missing, TopicPlan plan, @Nullable Short replicas)
            throws InterruptedException {
        var created = new ArrayList<String>();
        var topics =
                missing.stream()
                        .map(
                                topic ->
                                        new NewTopic(
                                                        connection.name(topic),
                                                        Optional.of(plan.partitions()),
                                                        Optional.ofNullable(replicas))
                                                .configs(plan.settings(topic)))
                        .toList();
        for (var result : new TreeMap<>(admin.createTopics(topics).values()).entrySet()) {
            try {
                result.getValue().get();
                created.add(result.getKey());
            } catch (ExecutionException e) {
                // Another 'perigee topics' may have been faster, which is as good.
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw failure(e);
                }
            }
        }
        awaitKnown(created);
        return created;
    }

    /** A broker learns of a topic a moment after its creation; what runs next needs it at once. */
    private void awaitKnown(List<String> created) throws InterruptedException {
        var end = System.nanoTime() + KafkaConnection.PATIENCE.toNanos();
        while (!answered(admin.listTopics().names()).containsAll(created)) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("The created topics are not there yet: " + created);
            }
            Thread.sleep(LOOK);
        }
    }

    private List<TopicDifference> compare(TopicPlan plan, Map<String, TopicDescription> existing)
            throws InterruptedException {
        var differences = new ArrayList<TopicDifference>();
        var resources =
                existing.keySet().stream()
                        .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                        .toList();
        var configs = answered(admin.describeConfigs(resources).all());
        for (var topic : Topic.values()) {
            var name = connection.name(topic);
            var description = existing.get(name);
            var config = configs.get(new ConfigResource(ConfigResource.Type.TOPIC, name));
            if (description == null || config == null) {
                continue;
            }
            var found = description.partitions().size();
            if (topic.isProcessPartitioned() && found != plan.partitions()) {
                differences.add(
                        new TopicDifference(
                                name,
                                "partitions",
                                Integer.toString(plan.partitions()),
                                Integer.toString(found)));
            }
            plan.settings(topic)
                    .forEach(
                            (setting, wanted) -> {
                                var value = valueOf(config, setting);
                                if (!isSame(wanted, value)) {
                                    differences.add(
                                            new TopicDifference(name, setting, wanted, value));
                                }
                            });
        }
        return differences;
    }

    private static String valueOf(Config config, String setting) {
        var entry = config.get(setting);
        var value = entry == null ? null : entry.value();
        return value == null ? "(unknown)" : value;
    }

    private static boolean isSame(String wanted, String found) {
        return sorted(wanted).equals(sorted(found));
    }

    private static List<String> sorted(String list) {
        return Arrays.stream(list.split(",", -1)).sorted().toList();
    }

    private <T> T answered(KafkaFuture<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    private RuntimeException failure(ExecutionException e) {
        return connection.explained(e);
    }

    @Override
    public void close() {
        admin.close(KafkaConnection.PATIENCE);
    }
}
