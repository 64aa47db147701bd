package dev.perigee.gateway;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks every few seconds how many partitions the topics of the process partitions have, so that
 * health can say that some were added, and whether they are the topics that they were: what was
 * deleted and made again is read from its beginning. The gateway keeps routing by the count it
 * began with. What cannot be asked leaves the last answer: {@link BrokerWatch} says that no broker
 * answers.
 */
final class PartitionCountWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionCountWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final Duration SAID = Duration.ofMinutes(1);
    private static final Duration REMINDER = Duration.ofMinutes(10);
    private static final int ANSWER_MS = 4_000;

    private final Admin admin;
    private final List<String> topics;
    private final int expected;
    private final TopicNames names;
    private final Counter replacements;
    private volatile Runnable onAdded = () -> {};
    private volatile Replacement onReplaced = (_, _) -> {};
    private volatile BooleanSupplier suspicion = () -> false;
    private volatile @Nullable String replaced;
    private volatile long replacedNanos;
    private Incarnations incarnations;
    private final PeriodicLook looks = new PeriodicLook("watch-partitions", PERIOD, this::look);
    private volatile int servable;
    private volatile @Nullable String problem;
    private long loggedNanos;

    /** Called when topics were recreated. */
    interface Replacement {
        void replaced(Set<Topic> topics, Map<Topic, String> linkNames);
    }

    /**
     * @param expected the count of every topic when the gateway started
     * @param incarnations as they were then
     */
    PartitionCountWatch(
            Admin admin,
            TopicNames names,
            int expected,
            Incarnations incarnations,
            MeterRegistry metrics) {
        this.admin = admin;
        this.names = names;
        this.incarnations = incarnations;
        this.replacements =
                Counter.builder("perigee.gateway.topics.replaced")
                        .description("Topics that were found deleted and made again")
                        .register(metrics);
        this.expected = expected;
        this.servable = expected;
        this.topics =
                Arrays.stream(Topic.values())
                        .filter(Topic::isProcessPartitioned)
                        .map(names::of)
                        .toList();
    }

    /**
     * Starts to ask.
     *
     * @param added called when there are more servable partitions than before
     * @param replacement called when topics were made again, or are suspected of it in vain
     * @param suspicious whether a topic's offsets were seen to begin anew
     */
    void start(Runnable added, Replacement replacement, BooleanSupplier suspicious) {
        onAdded = added;
        onReplaced = replacement;
        suspicion = suspicious;
        looks.start();
    }

    /** What is wrong and what to do, for people; null while the counts are as expected. */
    @Nullable String problem() {
        boolean isNews = System.nanoTime() - replacedNanos < SAID.toNanos();
        return problem == null && isNews ? replaced : problem;
    }

    /** Partitions of a lower number can be served: every topic has them. */
    int servable() {
        return servable;
    }

    private void look() throws InterruptedException {
        try {
            var options = new DescribeTopicsOptions().timeoutMs(ANSWER_MS);
            var found = new TreeMap<String, Integer>();
            var ids = new TreeMap<String, String>();
            admin.describeTopics(topics, options)
                    .allTopicNames()
                    .get()
                    .forEach(
                            (name, topic) -> {
                                found.put(name, topic.partitions().size());
                                ids.put(name, topic.topicId().toString());
                            });
            compare(ids);
            var counts = new PartitionCounts(found);
            int before = servable;
            servable = counts.least();
            if (servable > before) {
                onAdded.run();
            }
            tell(counts.difference(expected));
        } catch (ExecutionException e) {
            LOG.atDebug().setCause(e).log("Cannot describe the topics");
        }
    }

    private void compare(Map<String, String> ids) {
        boolean suspicious = suspicion.getAsBoolean();
        var found = new TreeMap<String, String>();
        for (var topic : Incarnations.TOPICS) {
            var id = ids.get(names.of(topic));
            if (id != null) {
                found.put(topic.suffix(), id);
            }
        }
        var next = incarnations.changed(found);
        if (next != null) {
            var which = next.replacedSince(incarnations);
            var text = which.stream().map(names::of).sorted().toList();
            replacements.increment(which.size());
            replacedNanos = System.nanoTime();
            replaced =
                    "Deleted and made again, read from the beginning now: "
                            + String.join(", ", text);
            LOG.atError()
                    .addKeyValue("topics", text)
                    .log("Topics were deleted and recreated; reading them from the beginning");
            incarnations = next;
            onReplaced.replaced(which, next.linkNames());
        } else if (suspicious) {
            onReplaced.replaced(Set.of(), incarnations.linkNames());
        }
    }

    private void tell(@Nullable String difference) {
        boolean known = problem != null;
        problem = difference;
        long now = System.nanoTime();
        if (difference == null) {
            if (known) {
                LOG.atInfo().log("Partition counts are as expected again");
            }
        } else if (!known || now - loggedNanos >= REMINDER.toNanos()) {
            loggedNanos = now;
            LOG.atError()
                    .addKeyValue("reason", difference)
                    .log("Partition counts were changed in place");
        }
    }

    @Override
    public void close() {
        looks.close();
    }
}
