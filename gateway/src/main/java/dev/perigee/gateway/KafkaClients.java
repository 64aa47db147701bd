package dev.perigee.gateway;

import dev.perigee.gateway.deadletter.Redrive;
import dev.perigee.gateway.inbound.CoPartitionedAssignor;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Factory of the gateway's Kafka clients. For each: measured defaults, then the settings that the
 * user passes through, then those that the guarantees need, which override both.
 *
 * <p>The measured defaults: no linger on the call path, since batches come from load; socket
 * buffers left to the system (-1), as fixed ones stalled for some 200 ms at 2,000 requests in
 * flight; a retry backoff of 5 ms for transactions, which raises their rate several times.
 */
final class KafkaClients {
    /** What the group's members append to the gateway's id to name themselves. */
    static final String MEMBER_SUFFIX = "-inbound";

    private static final int LARGEST_REQUEST = 20 << 20;

    /** A producer whose buffer is smaller refuses its largest records. */
    private static final int LARGEST_BUFFERED = LARGEST_REQUEST + (1 << 20);

    /**
     * After this long without an answer a connection counts as dead, for what a claim waits for: a
     * few of them in a row must be less than a worker's retention.
     */
    private static final int CLAIM_ANSWER_MS = 5_000;

    /** An idle connection may be dead unnoticed, which costs the next claim the time above. */
    private static final int CLAIM_IDLE_MS = 10_000;

    /** As for a claim: owners wait while a producer asks where their topics are. */
    private static final int RECORD_ANSWER_MS = 10_000;

    /** Behind its claim, a partition's fetch holds up the next partition of its reader so long. */
    private static final int LONGEST_RESTORE_FETCH_MS = 20;

    /** More than the poll thread ever takes, and less than a lease. */
    private static final int LONGEST_POLL_PAUSE_MS = 30_000;

    private final Settings settings;
    private final String gatewayId;
    private final String group;
    private final TopicNames names;

    KafkaClients(Settings settings, String gatewayId, String group, TopicNames names) {
        this.settings = settings;
        this.gatewayId = gatewayId;
        this.group = group;
        this.names = names;
    }

    Admin admin() {
        return Admin.create(
                config(
                        Map.of(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, CLAIM_ANSWER_MS),
                        Map.of("client.id", gatewayId + "-admin")));
    }

    /**
     * In the group, on both topics that come in.
     *
     * @param more configuration that the user may replace
     * @param values takes the records' values
     * @param servable partitions of a lower number may be assigned; asked at each assignment
     */
    Consumer<byte[], byte[]> groupConsumer(
            Map<String, Object> more, Deserializer<byte[]> values, IntSupplier servable) {
        var defaults = new HashMap<>(more);
        // A member that lives and does not poll holds up a rebalance so long; meanwhile nobody gets
        // the group's word, and without it leases end.
        defaults.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, LONGEST_POLL_PAUSE_MS);
        defaults.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
        defaults.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1);
        defaults.put(ConsumerConfig.SEND_BUFFER_CONFIG, -1);
        return consumer(
                defaults,
                values,
                Map.ofEntries(
                        Map.entry("client.id", gatewayId + MEMBER_SUFFIX),
                        Map.entry(ConsumerConfig.GROUP_ID_CONFIG, group),
                        Map.entry(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic"),
                        Map.entry(
                                ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                                CoPartitionedAssignor.class.getName()),
                        Map.entry(CoPartitionedAssignor.LEADING_TOPIC, names.of(Topic.COMMANDS)),
                        Map.entry(
                                CoPartitionedAssignor.MIRRORED_TOPIC,
                                names.of(Topic.TOOL_REQUESTS)),
                        Map.entry(CoPartitionedAssignor.SERVABLE, servable),
                        Map.entry(
                                ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                                millis(GatewaySettings.SESSION_TIMEOUT)),
                        Map.entry(
                                ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
                                millis(GatewaySettings.HEARTBEAT))));
    }

    /** Outside the group, for restoring. */
    Consumer<byte[], byte[]> stateConsumer() {
        return consumer(
                Map.of(
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                        4 << 20,
                        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                        LONGEST_RESTORE_FETCH_MS,
                        ConsumerConfig.RECEIVE_BUFFER_CONFIG,
                        -1,
                        ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        CLAIM_ANSWER_MS),
                Map.of("client.id", gatewayId + "-restore"));
    }

    /** Outside the group, for the console. */
    Consumer<byte[], byte[]> consoleConsumer() {
        return tailConsumer("console");
    }

    /** For actions of the console, which are refused when they cannot be written soon. */
    Producer<byte[], byte[]> consoleProducer() {
        return producer(
                Map.of(
                        ProducerConfig.LINGER_MS_CONFIG, 0,
                        ProducerConfig.BUFFER_MEMORY_CONFIG, smallBuffer(),
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, CLAIM_ANSWER_MS,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 10_000,
                        ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000),
                Map.of("client.id", gatewayId + "-console"));
    }

    /** Under the transactional id of every redrive, for that of the console. */
    Producer<byte[], byte[]> redriveProducer() {
        var required = new HashMap<>(Redrive.config(names));
        required.put("client.id", gatewayId + "-redrive");
        return producer(
                Map.of(
                        ProducerConfig.LINGER_MS_CONFIG,
                        0,
                        ProducerConfig.BUFFER_MEMORY_CONFIG,
                        smallBuffer(),
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        CLAIM_ANSWER_MS),
                required);
    }

    /** Outside the group, for who has which process id. */
    Consumer<byte[], byte[]> processIdConsumer() {
        return tailConsumer("process-ids");
    }

    /** In small pieces, as it reads many partitions at once. */
    private Consumer<byte[], byte[]> tailConsumer(String purpose) {
        return consumer(
                Map.of(
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 256 << 10,
                        ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 4 << 20),
                Map.of("client.id", gatewayId + "-" + purpose));
    }

    /** For what needs no transaction: never waited for, sent at once, repeated without end. */
    Producer<byte[], byte[]> fastProducer() {
        return producer(
                Map.of(
                        ProducerConfig.LINGER_MS_CONFIG,
                        0,
                        ProducerConfig.BUFFER_MEMORY_CONFIG,
                        Heap.part(16, LARGEST_BUFFERED, 64 << 20),
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        RECORD_ANSWER_MS,
                        ProducerConfig.METADATA_MAX_IDLE_CONFIG,
                        Integer.MAX_VALUE),
                Map.of(
                        "client.id",
                        gatewayId + "-fast",
                        ProducerConfig.MAX_BLOCK_MS_CONFIG,
                        0,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        Integer.MAX_VALUE));
    }

    /** For the topics that backends name: a record that cannot be written times out. */
    Producer<byte[], byte[]> replyProducer() {
        return producer(
                Map.of(
                        ProducerConfig.LINGER_MS_CONFIG, 0,
                        ProducerConfig.BUFFER_MEMORY_CONFIG, smallBuffer(),
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, RECORD_ANSWER_MS,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 60_000,
                        ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000),
                Map.of("client.id", gatewayId + "-replies"));
    }

    /** For what a stale owner must not overwrite. */
    Producer<byte[], byte[]> transactionalProducer() {
        return transactionalProducer("-transactions", group + "-" + gatewayId, 10_000);
    }

    /** For commits while the group is rebalanced, which the poll loop waits for. */
    Producer<byte[], byte[]> rebalanceProducer() {
        return transactionalProducer("-rebalance", group + "-" + gatewayId + "-rebalance", 1_000);
    }

    private Producer<byte[], byte[]> transactionalProducer(
            String client, String transactionalId, int maxBlockMs) {
        return producer(
                Map.of(
                        ProducerConfig.LINGER_MS_CONFIG,
                        0,
                        ProducerConfig.BUFFER_MEMORY_CONFIG,
                        smallBuffer(),
                        ProducerConfig.RETRY_BACKOFF_MS_CONFIG,
                        5,
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        CLAIM_ANSWER_MS,
                        ProducerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG,
                        CLAIM_IDLE_MS,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        10_000,
                        ProducerConfig.MAX_BLOCK_MS_CONFIG,
                        maxBlockMs),
                Map.of(
                        "client.id",
                        gatewayId + client,
                        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                        5_000,
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        transactionalId));
    }

    private Consumer<byte[], byte[]> consumer(
            Map<String, Object> defaults, Map<String, Object> required) {
        return consumer(defaults, new ByteArrayDeserializer(), required);
    }

    private Consumer<byte[], byte[]> consumer(
            Map<String, Object> defaults,
            Deserializer<byte[]> values,
            Map<String, Object> required) {
        var config = config(defaults, required);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), values);
    }

    private Producer<byte[], byte[]> producer(
            Map<String, Object> defaults, Map<String, Object> required) {
        var config = config(defaults, required);
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        // With more, a broker that refuses a producer's first batch for a partition and takes the
        // second has lost the first for good, see ADR 0015.
        config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, LARGEST_REQUEST);
        config.putIfAbsent(ProducerConfig.RECEIVE_BUFFER_CONFIG, -1);
        config.putIfAbsent(ProducerConfig.SEND_BUFFER_CONFIG, -1);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private Map<String, Object> config(Map<String, Object> defaults, Map<String, Object> required) {
        var config = new HashMap<String, Object>(defaults);
        config.put("enable.metrics.push", false);
        config.putAll(settings.value(GatewaySettings.KAFKA));
        config.putAll(required);
        config.put(
                CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
                settings.value(GatewaySettings.BOOTSTRAP));
        return config;
    }

    private static long smallBuffer() {
        return Heap.part(32, LARGEST_BUFFERED, 32 << 20);
    }

    private int millis(Setting<Duration> setting) {
        return Math.toIntExact(settings.value(setting).toMillis());
    }
}
