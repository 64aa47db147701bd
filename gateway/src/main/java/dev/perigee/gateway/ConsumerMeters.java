package dev.perigee.gateway;

import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.metrics.stats.CumulativeCount;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of the consumer, under the names that Micrometer's own binder gives. That one looks for
 * changes by comparing all with all, which takes a gateway with hundreds of partitions many seconds
 * of a core; here Kafka calls back when a metric is added or removed. Of partitions only the lag is
 * shown, of topics nothing. Made by Kafka, of the consumer's configuration; any thread.
 */
public final class ConsumerMeters implements MetricsReporter {
    private static final String REGISTRY = "perigee.meter.registry";
    private static final String TOPICS = "perigee.meter.topics";
    private static final String LAG = "records-lag";
    private static final Set<String> NO_MEASUREMENTS = Set.of("app-info", "kafka-metrics-count");

    private final Map<MetricName, Meter> meters = new ConcurrentHashMap<>();
    private @Nullable MeterRegistry registry;
    private Set<String> topics = Set.of();

    /** What a consumer's configuration has more so that its measurements are in the registry. */
    static Map<String, Object> config(MeterRegistry registry, TopicNames names) {
        var config = new HashMap<String, Object>();
        config.put(
                ConsumerConfig.METRIC_REPORTER_CLASSES_CONFIG,
                List.of(ConsumerMeters.class.getName()));
        config.put(REGISTRY, registry);
        config.put(TOPICS, Set.copyOf(names.all()));
        return config;
    }

    @Override
    @SuppressWarnings("unchecked") // put there by config()
    public void configure(Map<String, ?> config) {
        registry = (MeterRegistry) config.get(REGISTRY);
        topics = (Set<String>) Objects.requireNonNull(config.get(TOPICS));
    }

    @Override
    public void init(List<KafkaMetric> present) {
        present.forEach(this::metricChange);
    }

    @Override
    public void metricChange(KafkaMetric metric) {
        if (registry != null && isShown(metric)) {
            meters.put(metric.metricName(), meter(metric, registry));
        }
    }

    @Override
    public void metricRemoval(KafkaMetric metric) {
        var meter = meters.remove(metric.metricName());
        if (meter != null && registry != null) {
            registry.remove(meter);
        }
    }

    @Override
    public void close() {
        if (registry != null) {
            meters.values().forEach(registry::remove);
        }
        meters.clear();
    }

    /** Kafka reports topic metrics twice, under its name and under one with dots replaced. */
    private boolean isShown(KafkaMetric metric) {
        var name = metric.metricName();
        var topic = name.tags().get("topic");
        return !NO_MEASUREMENTS.contains(name.group())
                && (topic == null || (name.name().equals(LAG) && topics.contains(topic)))
                && metric.metricValue() instanceof Number;
    }

    private static Meter meter(KafkaMetric metric, MeterRegistry registry) {
        var id = metric.metricName();
        var name = "kafka." + id.group().replace("-metrics", "") + "." + id.name();
        var tags =
                id.tags().entrySet().stream()
                        .map(tag -> Tag.of(tag.getKey().replace('-', '.'), tag.getValue()))
                        .toList();
        ToDoubleFunction<KafkaMetric> value =
                it -> it.metricValue() instanceof Number number ? number.doubleValue() : Double.NaN;
        return isCount(metric)
                ? FunctionCounter.builder(name.replace('-', '.'), metric, value)
                        .description(id.description())
                        .tags(tags)
                        .register(registry)
                : Gauge.builder(name.replace('-', '.'), metric, value)
                        .description(id.description())
                        .tags(tags)
                        .register(registry);
    }

    private static boolean isCount(KafkaMetric metric) {
        return metric.isMeasurable()
                && (metric.measurable() instanceof CumulativeSum
                        || metric.measurable() instanceof CumulativeCount);
    }
}
