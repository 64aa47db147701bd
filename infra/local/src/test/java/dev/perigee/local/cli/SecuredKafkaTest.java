package dev.perigee.local.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.KafkaConnection;
import dev.perigee.console.Console;
import dev.perigee.gateway.Gateway;
import dev.perigee.gateway.GatewayStartException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.gateway.GatewayCommand;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import dev.perigee.worker.Worker;
import dev.perigee.worker.WorkerSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Every part over SASL_SSL, each with the rights that {@code perigee acls} says and no others. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SecuredKafkaTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final TopicNames NAMES = new TopicNames(TopicNames.DEFAULT_PREFIX);
    private static final String REPLIES = "shop.replies";
    private static final String TOKEN = "link-token";

    private Path directory;
    private SecuredBroker broker;
    private Worker worker;

    @BeforeAll
    void start(@TempDir Path parent) throws Exception {
        directory = parent;
        broker = new SecuredBroker(Files.createDirectory(directory.resolve("broker")));
        broker.add("gateway", "backend", "operator", "topics");
        broker.admin().createTopics(List.of(new NewTopic(REPLIES, 1, (short) 1))).all().get();
        grant("gateway", "--replies", "shop.*");
        grant("console", "--principal", "User:gateway");
        grant("backend", "--replies", REPLIES, "--group", "shop-");
        grant("operator");
        grant("topics");
        var created = as("topics", "topics", "--partitions", "2");
        assertThat(created.exitCode()).as(created.err()).isZero();
        worker =
                Worker.start(
                        WorkerSettings.SCHEMA.read(
                                Map.of(
                                        "worker.id", "secured-" + ProcessHandle.current().pid(),
                                        "link.listen", "127.0.0.1:0",
                                        "link.token", TOKEN,
                                        "admin.listen", "127.0.0.1:0",
                                        "worker.mode", "development",
                                        "isolation.mode", "none",
                                        "worker.drain-timeout", "0")));
    }

    @AfterAll
    void stop() {
        worker.close();
        broker.close();
    }

    private void grant(String role, String... more) throws Exception {
        var arguments = new ArrayList<>(List.of("acls", role, "--create"));
        arguments.addAll(List.of(more));
        var granted = as(SecuredBroker.ADMIN, arguments.toArray(String[]::new));
        assertThat(granted.exitCode()).as(granted.err()).isZero();
        broker.awaitRights(role.equals("console") ? "gateway" : role);
    }

    private CliRun as(String user, String... arguments) throws Exception {
        return with(broker.file(user), arguments);
    }

    private CliRun with(Path kafkaConfig, String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--bootstrap", broker.bootstrap(), "--kafka-config", "" + kafkaConfig));
        var run = CliRun.of(all.toArray(String[]::new));
        assertThat(run.out() + run.err()).doesNotContain("s3cret");
        return run;
    }

    private Map<String, String> settings(String id) {
        var texts = new HashMap<>(broker.gateway("gateway"));
        texts.put("gateway.id", id);
        texts.put("workers", worker.linkUri().toString());
        texts.put("link.token", TOKEN);
        texts.put("admin.listen", "127.0.0.1:0");
        return texts;
    }

    private Gateway gateway(String id) throws InterruptedException {
        return Gateway.start(GatewayCommand.SCHEMA.read(settings(id)), Console::of);
    }

    private void send(String user, String topic, String key, Object value, Map<String, String> head)
            throws Exception {
        Map<String, Object> config = new HashMap<>(broker.client(user));
        try (var producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            var record = new ProducerRecord<>(topic, key.getBytes(UTF_8), Json.write(value));
            head.forEach((name, text) -> record.headers().add(name, text.getBytes(UTF_8)));
            producer.send(record).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Reads from the beginning, as a member of a group of the user's. */
    private ConsumerRecord<byte[], byte[]> read(
            String user, String topic, Predicate<String> wanted) {
        Map<String, Object> config = new HashMap<>(broker.client(user));
        config.put("group.id", "shop-" + System.nanoTime());
        config.put("auto.offset.reset", "earliest");
        config.put("fetch.max.wait.ms", KafkaConnection.SHORT_FETCH_MS);
        try (var consumer =
                new KafkaConsumer<>(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            var end = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() < end) {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    if (record.value() != null && wanted.test(new String(record.value(), UTF_8))) {
                        return record;
                    }
                }
            }
        }
        throw new AssertionError("Not on " + topic);
    }

    private void assertCalls() throws Exception {
        var call =
                as(
                        "operator",
                        "call",
                        "--team",
                        "t1",
                        "--user",
                        "u1",
                        "sample:echo",
                        "--output",
                        "json",
                        "{\"message\":\"hi\"}");
        assertThat(call.exitCode()).as(call.err() + call.out()).isZero();
        assertThat(call.out()).contains("hi");
        var id = Json.tree(call.out().getBytes(UTF_8)).path("request_id");
        for (var command :
                List.of(
                        List.of("trace", id.asString()),
                        List.of("events"),
                        List.of("describe", "--team", "t1", "bundled"))) {
            var shown = as("operator", command.toArray(String[]::new));
            assertThat(shown.exitCode()).as("%s: %s", command, shown.err()).isZero();
            assertThat(shown.out()).as("%s", command).isNotBlank();
        }
    }

    private void assertRedrives() throws Exception {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> {
                            var list = as("operator", "dead-letters", "list");
                            assertThat(list.out()).as(list.err()).contains("t1/u1", "invalid");
                        });
        var edit = Files.createTempFile(directory, "edit", ".json");
        Files.writeString(
                edit,
                """
                {"id":"edited","command_type":"restart",
                 "payload":{"installation_id":"bundled","team_id":"t1","user_id":"u1"}}
                """);
        var redriven = as("operator", "redrive", "--reason", "invalid", "--edit", edit.toString());
        assertThat(redriven.exitCode()).as(redriven.err() + redriven.out()).isZero();
        assertThat(read("backend", NAMES.of(Topic.COMMAND_RESULTS), it -> it.contains("edited")))
                .isNotNull();
    }

    @Test
    @DisplayName("a fleet works, and changes its gateway, with the least rights of each part")
    void worksWithTheLeastRights() throws Exception {
        var configure = directory.resolve("configure.json");
        Files.write(
                configure,
                Json.write(
                        Map.of(
                                "command_type",
                                "configure",
                                "payload",
                                Map.of(
                                        "event", "mcp_installation_created",
                                        "installation_id", "bundled",
                                        "team_id", "t1",
                                        "user_id", "u1",
                                        "config", DemoServer.bundled().config()))));
        Gateway second;
        try (var _ = gateway("a")) {
            var applied = as("backend", "apply", configure.toString());
            assertThat(applied.exitCode()).as(applied.err() + applied.out()).isZero();
            assertCalls();
            second = gateway("b");
        }
        try (second) {
            assertCalls();
            assertThat(as("operator", "status").out()).contains("online");
            send(
                    "backend",
                    NAMES.of(Topic.TOOL_REQUESTS),
                    "t1/u1",
                    Map.of(
                            "request_id", "replied",
                            "team_id", "t1",
                            "user_id", "u1",
                            "method", "tools/list"),
                    Map.of("kafka_replyTopic", REPLIES, "kafka_correlationId", "1"));
            assertThat(read("backend", NAMES.of(Topic.TOOL_RESULTS), it -> it.contains("replied")))
                    .isNotNull();
            send(
                    "backend",
                    NAMES.of(Topic.COMMANDS),
                    "t1/*",
                    Json.tree(
                            """
                            {"id":"all","command_type":"restart",
                             "payload":{"installation_id":"bundled","team_id":"t1"}}
                            """
                                    .getBytes(UTF_8)),
                    Map.of());
            assertThat(
                            read(
                                    "backend",
                                    NAMES.of(Topic.COMMAND_RESULTS),
                                    it -> it.contains("\"all\"") && it.contains("completed")))
                    .isNotNull();
            send("backend", NAMES.of(Topic.COMMANDS), "t1/u1", "no command", Map.of());
            assertThat(as("operator", "logs", "--since", "1m").exitCode()).isZero();
            assertRedrives();
            try (var http = HttpClient.newHttpClient()) {
                var page = second.adminUri().resolve("/console/api/instances");
                await().atMost(PATIENCE).until(() -> get(http, page).contains("\"online\""));
            }
        }
    }

    @Test
    @DisplayName("nobody does what is another's")
    void refusesWhatIsAnothers() throws Exception {
        for (var topic : Set.of(Topic.STATUS, Topic.STATE, Topic.TOOL_RESULTS)) {
            for (var user : List.of("backend", "operator", "topics")) {
                assertThatThrownBy(
                                () -> send(user, NAMES.of(topic), "k", Map.of(), Map.of()),
                                "%s writes %s",
                                user,
                                topic)
                        .hasCauseInstanceOf(AuthorizationException.class);
            }
        }
        for (var topic : Set.of(Topic.STATE, Topic.DEAD_LETTERS)) {
            assertThatThrownBy(() -> read("backend", NAMES.of(topic), _ -> true))
                    .isInstanceOf(TopicAuthorizationException.class);
        }
        assertThatThrownBy(
                        () ->
                                send(
                                        "gateway",
                                        NAMES.of(Topic.TOOL_REQUESTS),
                                        "k",
                                        Map.of(),
                                        Map.of()))
                .hasCauseInstanceOf(TopicAuthorizationException.class);
        assertThat(as("backend", "acls", "backend", "--create").err()).contains("does not let us");
    }

    @Test
    @DisplayName("a wrong password is one line for the command line and for a gateway")
    void saysThatThePasswordIsWrong() throws Exception {
        var wrong = broker.file("operator", "s3cret-wrong");
        for (var command : List.of("topics", "status", "tools --team t1 --user u1", "logs")) {
            var run = with(wrong, command.split(" ", -1));
            assertThat(run.exitCode()).as(command).isEqualTo(ExitCode.FAILED);
            assertThat(run.err().lines()).as(command).hasSize(1);
            assertThat(run.err()).contains("credentials");
        }

        var settings = settings("wrong");
        settings.put(
                "kafka.sasl.jaas.config",
                broker.client("gateway", "s3cret-wrong").get("sasl.jaas.config"));
        var read = GatewayCommand.SCHEMA.read(settings);
        assertThat(read.toString()).doesNotContain("s3cret");
        assertThatThrownBy(() -> Gateway.start(read, Console::of))
                .isInstanceOf(GatewayStartException.class)
                .hasMessageContaining("kafka.*")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    @DisplayName("a gateway that loses a right says so once, goes on and recovers with it")
    void survivesTheLossOfARight() throws Exception {
        var config = directory.resolve("gateway.properties");
        Files.write(
                config,
                settings("lossy").entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .toList());
        var log = directory.resolve("gateway.log");
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var command =
                List.of(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Perigee.class.getName(),
                        "gateway",
                        "--config",
                        config.toString());
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try (var http = HttpClient.newHttpClient()) {
            await().atMost(PATIENCE).until(() -> Files.readString(log).contains("ready gateway"));
            var admin =
                    Files.readString(log)
                            .lines()
                            .filter(line -> line.startsWith("ready gateway"))
                            .map(line -> line.replaceAll(".* admin=(\\S+).*", "$1"))
                            .findFirst()
                            .orElseThrow();
            var ready = URI.create(admin + "/health/ready");
            await().atMost(PATIENCE).until(() -> get(http, ready).contains("\"ready\""));

            long before = Files.readString(log).lines().count();
            var rights = broker.admin().deleteAcls(List.of(commandsOf("gateway"))).all().get();
            assertThat(rights).isNotEmpty();
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () ->
                                    assertThat(get(http, ready))
                                            .contains("TopicAuthorizationException"));
            await().during(Duration.ofSeconds(4))
                    .atMost(PATIENCE)
                    .untilAsserted(
                            () ->
                                    assertThat(Files.readString(log).lines().skip(before))
                                            .noneMatch(line -> line.startsWith("\tat "))
                                            .filteredOn(line -> line.contains("Polling failed"))
                                            .hasSize(1));
            grant("gateway", "--replies", "shop.*");
            await().atMost(PATIENCE).until(() -> get(http, ready).contains("\"ready\""));
            assertThat(Files.readString(log)).doesNotContain("s3cret", TOKEN);
        } finally {
            process.destroy();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
    }

    private static AclBindingFilter commandsOf(String user) {
        return new AclBindingFilter(
                new ResourcePatternFilter(
                        ResourceType.TOPIC, NAMES.of(Topic.COMMANDS), PatternType.LITERAL),
                new AccessControlEntryFilter(
                        "User:" + user, null, AclOperation.READ, AclPermissionType.ANY));
    }

    private static String get(HttpClient http, URI page) throws Exception {
        return http.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString()).body();
    }
}
