package dev.perigee.gateway;

import dev.perigee.gateway.outbound.TopicHealth;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Health check of the topics, every two seconds: each exists, the gateway has its rights, its
 * partitions have leaders and replicas enough. Reported after two checks agree, since brokers that
 * start learn of some topics a moment later. A check that fails leaves the last result: {@link
 * BrokerWatch} reports that no broker is reachable.
 */
final class TopicWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final int ANSWER_MS = 4_000;

    private final Admin admin;
    private final TopicNames names;
    private final TopicHealth health;
    private final PeriodicLook looks = new PeriodicLook("watch-topics", PERIOD, this::look);
    private Map<ConfigResource, Integer> leastReplicas = Map.of();
    private Map<Topic, String> suspected = Map.of();

    TopicWatch(Admin admin, TopicNames names, TopicHealth health) {
        this.admin = admin;
        this.names = names;
        this.health = health;
    }

    void start() {
        looks.start();
    }

    private void look() throws InterruptedException {
        try {
            askForConfigs();
            var found = ask();
            var confirmed = new EnumMap<>(found);
            confirmed.keySet().retainAll(suspected.keySet());
            suspected = found;
            tell(confirmed);
        } catch (ExecutionException e) {
            LOG.atDebug().setCause(e).log("Cannot describe the topics");
        }
    }

    private EnumMap<Topic, String> ask() throws InterruptedException, ExecutionException {
        var options =
                new DescribeTopicsOptions().timeoutMs(ANSWER_MS).includeAuthorizedOperations(true);
        var answers = admin.describeTopics(names.all(), options).topicNameValues();
        var troubles = new EnumMap<Topic, String>(Topic.class);
        for (var topic : Topic.values()) {
            var answer = answers.get(names.of(topic));
            var trouble = answer == null ? null : trouble(topic, answer);
            if (trouble != null) {
                troubles.put(topic, trouble);
            }
        }
        return troubles;
    }

    private @Nullable String trouble(Topic topic, KafkaFuture<TopicDescription> answer)
            throws InterruptedException, ExecutionException {
        var name = names.of(topic);
        try {
            int least =
                    leastReplicas.getOrDefault(
                            new ConfigResource(ConfigResource.Type.TOPIC, name), 1);
            return TopicTroubles.of(topic, answer.get(), least);
        } catch (ExecutionException e) {
            var trouble = TopicTroubles.of(name, e.getCause());
            if (trouble == null) {
                throw e;
            }
            return trouble;
        }
    }

    /** Of a topic that is not there, or must not be seen, there is none. */
    private void askForConfigs() throws InterruptedException {
        var resources =
                names.all().stream()
                        .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                        .toList();
        var options = new DescribeConfigsOptions().timeoutMs(ANSWER_MS);
        var found = new HashMap<>(leastReplicas);
        for (var answer : admin.describeConfigs(resources, options).values().entrySet()) {
            try {
                var entry = answer.getValue().get().get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
                if (entry != null && entry.value() != null) {
                    found.put(answer.getKey(), Integer.parseInt(entry.value()));
                }
            } catch (ExecutionException e) {
                LOG.atDebug().setCause(e).log("Cannot read a topic's configuration");
            }
        }
        leastReplicas = found;
    }

    private void tell(Map<Topic, String> troubles) {
        var before = health.troubles();
        health.found(troubles);
        troubles.forEach(
                (topic, trouble) -> {
                    if (!trouble.equals(before.get(topic))) {
                        LOG.atLevel(topic.isOptional() ? Level.WARN : Level.ERROR)
                                .addKeyValue("topic", names.of(topic))
                                .addKeyValue("reason", trouble)
                                .log("Topic unusable; other topics are not affected");
                    }
                });
        for (var topic : before.keySet()) {
            if (!troubles.containsKey(topic)) {
                LOG.atInfo().addKeyValue("topic", names.of(topic)).log("Topic usable again");
            }
        }
    }

    @Override
    public void close() {
        looks.close();
    }
}
