package dev.perigee.gateway.partition;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.internals.CoordinatorKey;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.jspecify.annotations.Nullable;

/**
 * The two answers of a broker's that owners ask for: where a group stands, and where topics begin
 * and end. Thread-safe.
 */
final class BrokerOffsets {
    private final Map<TopicPartition, OffsetAndMetadata> committed = new ConcurrentHashMap<>();
    private final Set<TopicPartition> open = ConcurrentHashMap.newKeySet();
    private final Map<TopicPartition, Long> begins = new ConcurrentHashMap<>();
    private final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();
    private volatile @Nullable Exception failure;

    /** The group stands there. */
    void committed(String topic, int partition, OffsetAndMetadata offset) {
        committed.put(new TopicPartition(topic, partition), offset);
    }

    /** A transaction about where the group stands there is open. */
    void open(String topic, int partition) {
        open.add(new TopicPartition(topic, partition));
    }

    /** The topic's partition has records from there on. */
    void begins(String topic, int partition, long offset) {
        begins.put(new TopicPartition(topic, partition), offset);
    }

    /** The topic's partition ends there. */
    void ends(String topic, int partition, long offset) {
        ends.put(new TopicPartition(topic, partition), offset);
    }

    /** Every answer is this from now on; null when they are answers. */
    void fail(@Nullable Exception with) {
        failure = with;
    }

    /** Who answers so. */
    Admin admin() {
        return (Admin)
                Proxy.newProxyInstance(
                        Admin.class.getClassLoader(),
                        new Class<?>[] {Admin.class},
                        (_, method, asked) -> answer(method, asked));
    }

    private Object answer(Method method, Object @Nullable [] arguments)
            throws ReflectiveOperationException {
        if (arguments != null && arguments[0] instanceof Map<?, ?> asked) {
            switch (method.getName()) {
                case "listConsumerGroupOffsets" -> {
                    return group(asked);
                }
                case "listOffsets" -> {
                    return topics(asked);
                }
                default -> {}
            }
        }
        throw new UnsupportedOperationException(method.toString());
    }

    private ListConsumerGroupOffsetsResult group(Map<?, ?> asked)
            throws ReflectiveOperationException {
        var group = (String) asked.keySet().iterator().next();
        var spec = (ListConsumerGroupOffsetsSpec) asked.values().iterator().next();
        var known = new HashMap<TopicPartition, @Nullable OffsetAndMetadata>();
        for (var each : spec.topicPartitions()) {
            if (!open.contains(each)) {
                known.put(each, committed.get(each));
            }
        }
        var constructor = ListConsumerGroupOffsetsResult.class.getDeclaredConstructor(Map.class);
        constructor.setAccessible(true); // Only the client itself makes them.
        return constructor.newInstance(Map.of(CoordinatorKey.byGroupId(group), answered(known)));
    }

    private ListOffsetsResult topics(Map<?, ?> asked) {
        var entry = asked.entrySet().iterator().next();
        var partition = (TopicPartition) entry.getKey();
        var which = entry.getValue() instanceof OffsetSpec.EarliestSpec ? begins : ends;
        long offset = which.getOrDefault(partition, 0L);
        return new ListOffsetsResult(
                Map.of(
                        partition,
                        answered(new ListOffsetsResultInfo(offset, -1, Optional.empty()))));
    }

    private <T> KafkaFuture<T> answered(T answer) {
        var future = new KafkaFutureImpl<T>();
        var with = failure;
        if (with == null) {
            future.complete(answer);
        } else {
            future.completeExceptionally(with);
        }
        return future;
    }
}
