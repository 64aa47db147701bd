package dev.perigee.gateway;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks every few seconds how many partitions the topics of the process partitions have, so that
 * health can say that some were added. The gateway keeps routing by the count it began with. What
 * cannot be asked leaves the last answer: {@link BrokerWatch} says that no broker answers.
 */
final class PartitionCountWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionCountWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final Duration REMINDER = Duration.ofMinutes(10);
    private static final int ANSWER_MS = 4_000;

    private final Admin admin;
    private final List<String> topics;
    private final int expected;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Runnable onAdded = () -> {};
    private final Thread thread =
            Thread.ofVirtual().name("watch-partitions").unstarted(this::watch);
    private volatile int servable;
    private volatile @Nullable String problem;
    private long loggedNanos;

    /**
     * @param expected the count of every topic when the gateway started
     */
    PartitionCountWatch(Admin admin, TopicNames names, int expected) {
        this.admin = admin;
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
     */
    void start(Runnable added) {
        onAdded = added;
        thread.start();
    }

    /** What is wrong and what to do, for people; null while the counts are as expected. */
    @Nullable String problem() {
        return problem;
    }

    /** Partitions of a lower number can be served: every topic has them. */
    int servable() {
        return servable;
    }

    private void watch() {
        try {
            while (!closed.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() throws InterruptedException {
        try {
            var options = new DescribeTopicsOptions().timeoutMs(ANSWER_MS);
            var found = new TreeMap<String, Integer>();
            admin.describeTopics(topics, options)
                    .allTopicNames()
                    .get()
                    .forEach((name, topic) -> found.put(name, topic.partitions().size()));
            var counts = new PartitionCounts(found);
            int before = servable;
            servable = counts.least();
            if (servable > before) {
                onAdded.run();
            }
            tell(counts.difference(expected));
        } catch (ExecutionException e) {
            LOG.atDebug().setCause(e).log("The topics' partitions cannot be asked for");
        }
    }

    private void tell(@Nullable String difference) {
        boolean known = problem != null;
        problem = difference;
        long now = System.nanoTime();
        if (difference == null) {
            if (known) {
                LOG.atInfo().log("The topics have as many partitions as expected again");
            }
        } else if (!known || now - loggedNanos >= REMINDER.toNanos()) {
            loggedNanos = now;
            LOG.atError()
                    .addKeyValue("reason", difference)
                    .log("The topics' partitions were changed in place");
        }
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
