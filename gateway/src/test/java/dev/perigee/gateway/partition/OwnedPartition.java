package dev.perigee.gateway.partition;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.gateway.inbound.Membership;
import dev.perigee.gateway.inbound.PolledPartition;
import dev.perigee.gateway.inbound.RecordReader;
import dev.perigee.gateway.inbound.ReplyTopics;
import dev.perigee.gateway.link.SteadyTime;
import dev.perigee.gateway.outbound.BoundedProducer;
import dev.perigee.gateway.outbound.DeadLetters;
import dev.perigee.gateway.outbound.FastPublisher;
import dev.perigee.gateway.outbound.PublicRecords;
import dev.perigee.gateway.outbound.Replies;
import dev.perigee.gateway.outbound.TopicHealth;
import dev.perigee.gateway.outbound.TransactionalPublisher;
import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.quarantine.QuarantineLimits;
import dev.perigee.gateway.quarantine.QuarantineRules;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The first of a fleet's two partitions, to which all keys belong, with its owner, on the owner's
 * own thread, between a broker of Kafka's own test doubles and a {@link ScriptedWorker}. Time is
 * the test's: it stands until {@link #later}.
 */
final class OwnedPartition implements AutoCloseable {
    static final TopicNames NAMES = new TopicNames("mcp.");
    static final String KEY = "t1/alice";
    static final String REPLIES = "replies.one";
    static final Duration SILENCE = Duration.ofSeconds(10);
    static final Duration COMMAND = Duration.ofMinutes(1);
    static final Duration CALL_WAIT = Duration.ofSeconds(20);
    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    /** More than goes by while a test lets time go by until something is so. */
    static final Duration DEATH_MEMORY = Duration.ofDays(30);

    private static final String STATE = NAMES.of(Topic.STATE);

    final ScriptedWorker worker = new ScriptedWorker();
    final BrokerOffsets offsets = new BrokerOffsets();
    final BoundedProducer fast = new BoundedProducer();
    final BoundedProducer transactions = new BoundedProducer();
    final MockProducer<byte[], byte[]> replies;
    final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    final TopicHealth health = new TopicHealth(NAMES);
    final PolledPartition polled = new PolledPartition(0);
    final Partitions partitions;
    private final StateSeal seal;
    private final Membership membership = new Membership();
    private final TransactionalPublisher publisher;
    private final FastPublisher fastPublisher;
    private final Replies replyPublisher;
    private final StateReader reader;
    private final AtomicLong readerTime = new AtomicLong();
    private volatile Instant now = Instant.parse("2026-11-24T10:00:00Z");
    private volatile HostDecision host = new HostDecision.Place(ScriptedWorker.ID);
    private volatile @Nullable RuntimeException hostDefect;
    private long nextCommand;
    private long nextRequest;

    OwnedPartition() {
        this(new StateSeal(null));
    }

    /** With what the owner has to read the secrets of its state. */
    OwnedPartition(StateSeal seal) {
        this(seal, 2);
    }

    /**
     * @param deaths of workers after which what ran there starts alone; 0 for never
     */
    OwnedPartition(StateSeal seal, int deaths) {
        this.seal = seal;
        this.replies =
                new MockProducer<>(
                        new Cluster(
                                null,
                                List.of(),
                                List.of(new PartitionInfo(REPLIES, 0, null, null, null)),
                                Set.of(),
                                Set.of()),
                        true,
                        null,
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
        InstantSource clock = () -> now;
        var records = new PublicRecords(NAMES, clock);
        this.publisher =
                new TransactionalPublisher(
                        () -> transactions, NAMES.of(Topic.COMMANDS), membership, health, metrics);
        this.fastPublisher = new FastPublisher(() -> fast, health, metrics);
        this.replyPublisher = new Replies(replies, records);
        this.reader =
                new StateReader(
                        this::stateConsumer,
                        STATE,
                        seal,
                        1,
                        () -> Instant.ofEpochSecond(readerTime.addAndGet(60)));
        var quarantine =
                new QuarantineRules(
                        new QuarantineLimits(
                                deaths, DEATH_MEMORY, Duration.ofSeconds(20), Duration.ZERO));
        this.partitions = new Partitions(services(clock, records, quarantine));
    }

    private PartitionServices services(
            InstantSource clock, PublicRecords records, QuarantineRules quarantine) {
        return new PartitionServices(
                "g",
                2,
                NAMES,
                new RecordReader(
                        new ReplyTopics(NAMES, List.of("replies.*")), 1, 1 << 20, DEFAULT_TIMEOUT),
                records,
                publisher,
                fastPublisher,
                replyPublisher,
                new DeadLetters(fastPublisher, NAMES, metrics),
                new GroupOffsets(offsets.admin(), "group", NAMES),
                reader,
                seal,
                worker,
                (_, _, _) -> choose(),
                new PartitionTimes(
                        Duration.ofSeconds(5),
                        SILENCE,
                        COMMAND,
                        Duration.ofHours(24),
                        Duration.ofHours(1),
                        Duration.ofSeconds(1),
                        CALL_WAIT),
                quarantine,
                new UserLimits(4, 4, 1 << 20, RateLimit.NONE, 100),
                new Installations(3, 100),
                new ProcessIdOwners(),
                new OpenArguments(ByteBudget.of(16 << 20)),
                IdBudget.ofBytes(1 << 20),
                clock,
                new GatewayMetrics(metrics, NAMES));
    }

    private HostDecision choose() {
        var defect = hostDefect;
        if (defect != null) {
            throw defect;
        }
        return host;
    }

    /** Reads what is in the state topic when it is polled first. */
    private Consumer<byte[], byte[]> stateConsumer() {
        var consumer = new MockConsumer<byte[], byte[]>("earliest");
        consumer.updateBeginningOffsets(Map.of(new TopicPartition(STATE, 0), 0L));
        consumer.schedulePollTask(
                () -> {
                    long offset = 0;
                    for (var record : written(Topic.STATE)) {
                        consumer.addRecord(
                                new ConsumerRecord<>(
                                        STATE, 0, offset++, record.key(), record.value()));
                    }
                });
        return consumer;
    }

    // What was before the owner.

    StateTopic stateTopic() {
        return new StateTopic(STATE, 0, seal);
    }

    /** An earlier owner wrote it. */
    void before(ProducerRecord<byte[], byte[]> record) {
        var _ = transactions.send(record);
    }

    /** An earlier owner installed it; returns its process id. */
    String installed(ServerConfig config) {
        var origin = new RecordOrigin(NAMES.of(Topic.COMMANDS), 0, -1);
        before(stateTopic().instance(new Installed(config, false, origin, "c-before", null, now)));
        return config.processId();
    }

    String installed(String installation) {
        return installed(OwnerBench.config("alice", installation, "node"));
    }

    // What happens.

    /** The gateway gets the partition. */
    void begin() {
        begin(1);
    }

    /** The gateway gets the partition, while the group knows of the tenure of this number. */
    @SuppressWarnings("removal") // Nothing else makes metadata without a group.
    void begin(long tenure) {
        publisher.start();
        membership.update(
                new ConsumerGroupMetadata("group", 1, "member", Optional.empty()),
                Map.of(0, tenure));
        partitions.assigned(polled.feed());
    }

    /** The gateway gets the partition, and its worker a session that serves. */
    ScriptedSession serve(AcceptedRecord... accepted) {
        begin();
        return attach(1, accepted);
    }

    /** The worker attaches the session of this number, which serves, and requests may be sent. */
    ScriptedSession attach(int number, AcceptedRecord... accepted) {
        var session = opened(number);
        session.attach(accepted.length > 0, List.of(), accepted);
        TestWaits.until("serving", () -> state() == OwnerState.SERVING);
        commit();
        return session;
    }

    /** The owner opened so many sessions; the last of them. */
    ScriptedSession opened(int number) {
        TestWaits.until("session " + number, () -> worker.sessions.size() >= number);
        return worker.sessions.get(number - 1);
    }

    OwnerState state() {
        return partitions.states().getOrDefault(0, OwnerState.ENDED);
    }

    Instant now() {
        return now;
    }

    /** The owner has done all that it was told before. */
    void settle() {
        var marker = new Marker();
        partitions.records(polled.feed(), Topic.TOOL_REQUESTS, marker, 0);
        try {
            TestWaits.get(marker.seen);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** No records, of which the owner is done when it has looked at them. */
    private static final class Marker extends AbstractList<ConsumerRecord<byte[], byte[]>> {
        private final CompletableFuture<Boolean> seen = new CompletableFuture<>();

        @Override
        public ConsumerRecord<byte[], byte[]> get(int index) {
            throw new IndexOutOfBoundsException(index);
        }

        @Override
        public int size() {
            return 0;
        }

        @Override
        public Stream<ConsumerRecord<byte[], byte[]>> stream() {
            seen.complete(true);
            return Stream.of();
        }
    }

    /** Time goes by, and the owner notices. */
    void later(Duration time) {
        settle();
        now = now.plus(time);
        settle();
    }

    /** This is decided about the partition's host from now on. */
    void host(HostDecision decision) {
        host = decision;
    }

    /** Who decides that has a defect from now on; null for none. */
    void failHosts(@Nullable RuntimeException defect) {
        hostDefect = defect;
    }

    /** No worker may have the partition for an hour. */
    void hostNobody() {
        host(new HostDecision.Wait(SteadyTime.now().plusSeconds(3_600), "the test says so"));
    }

    /** The group takes a commit of requests; returns what it says. */
    OptionalLong commit() {
        return polled.commit(partitions);
    }

    /** A command is in the topic. */
    RecordOrigin command(String json) {
        return command(KEY, json, new RecordHeaders());
    }

    RecordOrigin command(String key, String json, Headers headers) {
        return arrived(Topic.COMMANDS, nextCommand++, now, key, json, headers);
    }

    /** A request is in the topic. */
    RecordOrigin request(String json) {
        return request(json, new RecordHeaders());
    }

    RecordOrigin request(String json, Headers headers) {
        return request(Duration.ZERO, json, headers);
    }

    /** A request that was appended a while ago. */
    RecordOrigin request(Duration ago, String json, Headers headers) {
        return arrived(Topic.TOOL_REQUESTS, nextRequest++, now.minus(ago), KEY, json, headers);
    }

    /** A call of a tool of the one server, with empty arguments. */
    RecordOrigin call(String requestId) {
        return request(callJson(requestId, "s", "{}"));
    }

    static String callJson(String requestId, String server, String arguments) {
        return """
               {"request_id":"%s","team_id":"t1","user_id":"alice","method":"tools/call",
                "tool_path":"%s:echo","arguments":%s}"""
                .formatted(requestId, server, arguments);
    }

    private RecordOrigin arrived(
            Topic topic, long offset, Instant at, String key, String json, Headers headers) {
        var value = json.getBytes(UTF_8);
        var keyBytes = key.getBytes(UTF_8);
        polled.polled(
                partitions,
                topic,
                new ConsumerRecord<>(
                        NAMES.of(topic),
                        0,
                        offset,
                        at.toEpochMilli(),
                        TimestampType.CREATE_TIME,
                        keyBytes.length,
                        value.length,
                        keyBytes,
                        value,
                        headers,
                        Optional.empty()));
        return new RecordOrigin(NAMES.of(topic), 0, offset);
    }

    // What is public.

    /** What was written to a topic, in order. */
    List<ProducerRecord<byte[], byte[]>> written(Topic topic) {
        return Stream.of(transactions, fast)
                .flatMap(producer -> producer.history().stream())
                .filter(record -> record.topic().equals(NAMES.of(topic)))
                .toList();
    }

    /** Values of what was written to a topic, in order; null for tombstones. */
    List<String> values(Topic topic) {
        return written(topic).stream().map(OwnedPartition::value).toList();
    }

    /** Names of the records in the state topic, in order; those that delete begin with a minus. */
    List<String> stateNames() {
        return written(Topic.STATE).stream()
                .map(record -> (record.value() == null ? "-" : "") + text(record.key()))
                .toList();
    }

    private static String value(ProducerRecord<byte[], byte[]> record) {
        return record.value() == null ? "null" : text(record.value());
    }

    static String text(byte[] utf8) {
        return new String(utf8, UTF_8);
    }

    /** Answers that requests of this id have, in order. */
    List<ToolResult> answers(String requestId) {
        return written(Topic.TOOL_RESULTS).stream()
                .map(record -> Json.read(record.value(), ToolResult.class))
                .filter(result -> result.requestId().equals(requestId))
                .toList();
    }

    /** The first answer of a request. */
    ToolResult answer(String requestId) {
        TestWaits.until("answer of " + requestId, () -> !answers(requestId).isEmpty());
        return answers(requestId).getFirst();
    }

    /** Results that commands of this id have, in order. */
    List<CommandResult> results(String commandId) {
        return written(Topic.COMMAND_RESULTS).stream()
                .map(record -> Json.read(record.value(), CommandResult.class))
                .filter(result -> result.commandId().equals(commandId))
                .toList();
    }

    /** The last result of a command that has so many. */
    CommandResult result(String commandId, int number) {
        TestWaits.until("results of " + commandId, () -> results(commandId).size() >= number);
        return results(commandId).get(number - 1);
    }

    /** Requests below this offset are done, as the group knows after its next commit. */
    void awaitDone(long below) {
        TestWaits.until("done below " + below, () -> commit().orElse(-1) >= below);
    }

    double count(String counter, String tag, String value) {
        return metrics.get(counter).tag(tag, value).counter().count();
    }

    /** The owner has ended, and left what it had. */
    void revoke() {
        polled.revoke(partitions);
        awaitEnded();
    }

    void awaitEnded() {
        try {
            partitions.awaitEnded(Duration.ofSeconds(30));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        revoke();
        worker.sessions.forEach(ScriptedSession::end);
        publisher.close();
        fastPublisher.close();
        replyPublisher.close();
        reader.close();
    }
}
