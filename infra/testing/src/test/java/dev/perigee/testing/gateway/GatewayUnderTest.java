package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.KafkaConnection;
import dev.perigee.gateway.Gateway;
import dev.perigee.gateway.GatewaySettings;
import dev.perigee.part.gateway.TopicSetup;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import dev.perigee.testing.fleet.Backend;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Records;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.Utils;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Topics of their own on a broker that others share, with as many gateways as a test wants. */
final class GatewayUnderTest implements AutoCloseable {
    static final int PARTITIONS = 4;
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final TopicNames names = new TopicNames("g" + NUMBER.incrementAndGet() + ".");
    final HandMadeFleet fleet = new HandMadeFleet();
    final Records records;
    final Backend backend;
    final String bootstrap;
    private final Admin admin;

    GatewayUnderTest(String bootstrap) throws Exception {
        this.bootstrap = bootstrap;
        this.admin = Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap));
        admin.createTopics(List.of(new NewTopic(names.prefix() + Records.REPLIES, 1, (short) 1)))
                .all()
                .get();
        createTopics();
        Awaitility.await()
                .atMost(Records.PATIENCE)
                .ignoreExceptions()
                .until(
                        () ->
                                admin.describeTopics(List.of(names.prefix() + Records.REPLIES))
                                                .allTopicNames()
                                                .get()
                                                .size()
                                        == 1);
        this.records = Records.reading(bootstrap, names);
        this.backend = new Backend(bootstrap, names, records);
    }

    Gateway start(String id, Map<String, String> more) throws InterruptedException {
        return start(id, more, InstantSource.system());
    }

    Gateway start(String id, Map<String, String> more, InstantSource clock)
            throws InterruptedException {
        var texts = new HashMap<String, String>();
        texts.put("kafka.bootstrap.servers", bootstrap);
        texts.put("topics.prefix", names.prefix());
        texts.put("gateway.id", id);
        texts.put("workers", "ws://127.0.0.1:1/link");
        texts.put("admin.listen", "127.0.0.1:0");
        texts.putAll(more);
        return Gateway.start(GatewaySettings.SCHEMA.read(texts), fleet, clock);
    }

    /** Starts a gateway that reaches the broker elsewhere. */
    Gateway start(String id, String bootstrap, Map<String, String> more)
            throws InterruptedException {
        var texts = new HashMap<>(more);
        texts.put("kafka.bootstrap.servers", bootstrap);
        return start(id, texts);
    }

    Gateway start(String id) throws InterruptedException {
        return start(id, Map.of());
    }

    /** Whether a gateway's health says that it is not ready, and this among the reasons. */
    static boolean saysNotReady(Gateway gateway, String what) throws Exception {
        var page = URI.create(gateway.adminUri() + "/health/ready");
        try (var client = HttpClient.newHttpClient()) {
            var answer = client.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString());
            return answer.statusCode() == 503 && answer.body().contains(what);
        }
    }

    /** How many partitions a gateway serves. */
    static int serving(Gateway gateway) {
        return (int)
                gateway.metrics()
                        .get("perigee.gateway.partitions")
                        .tag("state", "serving")
                        .gauge()
                        .value();
    }

    /** The partition of an installation's requests. */
    int partition(Installation installation) {
        return partition(installation.key());
    }

    /** The partition of what is public of an installation's process, such as its status. */
    int processPartition(Installation installation) {
        return partition(installation.processId());
    }

    private static int partition(String key) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % PARTITIONS;
    }

    /** When this returns brokers do not list it any more. */
    void deleteTopic(String suffix) throws Exception {
        var name = names.prefix() + suffix;
        admin.deleteTopics(List.of(name)).all().get();
        Awaitility.await().until(() -> !admin.listTopics().names().get().contains(name));
    }

    /** Creates those that are not there. */
    void createTopics() throws InterruptedException {
        try (var setup = new TopicSetup(new KafkaConnection(bootstrap, names, Map.of()))) {
            assertThat(setup.apply(PARTITIONS, PARTITIONS, (short) 1, false).differences())
                    .isEmpty();
        }
    }

    /** Takes a right to a topic from everybody; for a broker that has an authorizer. */
    void deny(Topic topic, AclOperation operation) throws Exception {
        var everything =
                new AccessControlEntry("User:*", "*", AclOperation.ALL, AclPermissionType.ALLOW);
        var nothing = new AccessControlEntry("User:*", "*", operation, AclPermissionType.DENY);
        admin.createAcls(
                        List.of(
                                new AclBinding(pattern(topic), everything),
                                new AclBinding(pattern(topic), nothing)))
                .all()
                .get();
    }

    /** Takes all of that back. */
    void allow(Topic topic) throws Exception {
        admin.deleteAcls(
                        List.of(
                                new AclBindingFilter(
                                        pattern(topic).toFilter(), AccessControlEntryFilter.ANY)))
                .all()
                .get();
    }

    private ResourcePattern pattern(Topic topic) {
        return new ResourcePattern(ResourceType.TOPIC, names.of(topic), PatternType.LITERAL);
    }

    /** What the group committed of a topic's partition, -1 when nothing. */
    long committed(Topic topic, int partition) {
        var offset = offset(topic, partition);
        return offset == null ? -1 : offset.offset();
    }

    /** What was noted with it, empty when nothing. */
    String metadata(Topic topic, int partition) {
        var offset = offset(topic, partition);
        return offset == null ? "" : offset.metadata();
    }

    private @Nullable OffsetAndMetadata offset(Topic topic, int partition) {
        try {
            return admin.listConsumerGroupOffsets(names.prefix() + "gateway")
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .get(new TopicPartition(names.of(topic), partition));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        backend.close();
        records.close();
        admin.close();
    }
}
