package dev.perigee.client;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Addresses of the brokers, client properties, and the names of the topics. Immutable; connects to
 * nothing by itself.
 *
 * @param bootstrap addresses of brokers, host:port separated by commas
 * @param names the topics' full names
 * @param properties further client properties, such as security ones; may hold secrets, and are not
 *     in {@link #toString()}. They replace the client's own but for the bootstrap addresses and the
 *     one request that a producer has under way
 */
public record KafkaConnection(String bootstrap, TopicNames names, Map<String, String> properties) {
    /** Longest wait for a broker's answer to one question: five seconds. */
    public static final Duration PATIENCE = Duration.ofSeconds(5);

    /**
     * {@code fetch.max.wait.ms} of readers of what is there already: behind the end of a partition
     * a fetch waits so long, and the broker answers nothing else on its connection meanwhile. Of
     * Kafka's own half a second, reading partitions one after another would be nothing but that.
     */
    public static final int SHORT_FETCH_MS = 10;

    public KafkaConnection {
        properties = Map.copyOf(properties);
    }

    /** The full name of a topic. */
    public String name(Topic topic) {
        return names.of(topic);
    }

    /** Configuration of a client, with the given entries on top of what every client needs. */
    public Map<String, Object> clientConfig(Map<String, Object> more) {
        var config = new HashMap<String, Object>();
        config.put("default.api.timeout.ms", (int) PATIENCE.toMillis());
        config.put("request.timeout.ms", (int) PATIENCE.toMillis());
        config.put("receive.buffer.bytes", -1);
        config.put("send.buffer.bytes", -1);
        config.putAll(more);
        config.putAll(properties);
        config.put("bootstrap.servers", bootstrap);
        return config;
    }

    /**
     * A consumer of committed records, which commits nothing by itself, makes no topic and begins
     * with the oldest record where it has no offset, unless the given entries say otherwise. To be
     * closed by the caller.
     *
     * @throws org.apache.kafka.common.KafkaException when it cannot be made, see {@link #explained}
     */
    public KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> more) {
        var config = new HashMap<String, Object>();
        config.put("isolation.level", "read_committed");
        config.put("enable.auto.commit", false);
        config.put("auto.offset.reset", "earliest");
        config.put("allow.auto.create.topics", false);
        config.putAll(more);
        return new KafkaConsumer<>(
                clientConfig(config), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /**
     * A producer with one request under way: with more, a broker that refuses a producer's first
     * batch for a partition and takes the second has lost the first for good, see ADR 0015. To be
     * closed by the caller.
     *
     * @throws org.apache.kafka.common.KafkaException when it cannot be made, see {@link #explained}
     */
    public KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        return new KafkaProducer<>(
                producerConfig(more), new ByteArraySerializer(), new ByteArraySerializer());
    }

    Map<String, Object> producerConfig(Map<String, Object> more) {
        var config = clientConfig(more);
        config.put("max.in.flight.requests.per.connection", 1);
        return config;
    }

    /**
     * The client's own exception for one of Kafka's: {@link BrokerUnreachableException} where no
     * broker answers, {@link KafkaRefusedException} where one refuses or the client cannot be made;
     * Kafka's {@link InterruptException} as it is.
     */
    public RuntimeException explained(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            var message = String.valueOf(cause.getMessage());
            switch (cause) {
                case InterruptException interrupted -> {
                    return interrupted;
                }
                case ConfigException config when !message.contains("bootstrap") -> {
                    return new KafkaRefusedException(
                            "The Kafka client cannot be configured so: " + message + ".",
                            true,
                            failure);
                }
                case RetriableException _, ConfigException _, TimeoutException _ -> {
                    return new BrokerUnreachableException(this, failure);
                }
                case AuthenticationException _, AuthorizationException _ -> {
                    return new KafkaRefusedException(
                            "Kafka does not let us: "
                                    + message
                                    + " Check the credentials and their rights.",
                            false,
                            failure);
                }
                case ApiException _ -> {
                    return new KafkaRefusedException("Kafka refuses: " + message, false, failure);
                }
                default -> {}
            }
        }
        return new KafkaRefusedException(
                "The Kafka client does not work: " + rootOf(failure).getMessage(), true, failure);
    }

    private static Throwable rootOf(Throwable failure) {
        var root = failure;
        for (var cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            root = cause;
        }
        return root;
    }

    /** Bootstrap address only: the properties may hold secrets. */
    @Override
    public String toString() {
        return "KafkaConnection[" + bootstrap + ", " + names + "]";
    }
}
