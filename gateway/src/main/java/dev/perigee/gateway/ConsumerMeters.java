package dev.perigee.gateway;

import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.Set;

/** Which of the Kafka consumer's own measurements are shown. */
final class ConsumerMeters {
    private ConsumerMeters() {}

    /**
     * Kafka tells what it measures of a topic twice, under its name and under one with dots
     * replaced. Only the first is shown, else sums over topics, such as the lag, would be double.
     */
    static void filter(MeterRegistry registry, TopicNames names) {
        var topics = Set.copyOf(names.all());
        registry.config()
                .meterFilter(
                        MeterFilter.deny(
                                id -> {
                                    var topic = id.getTag("topic");
                                    return id.getName().startsWith("kafka.")
                                            && topic != null
                                            && !topics.contains(topic);
                                }));
    }
}
