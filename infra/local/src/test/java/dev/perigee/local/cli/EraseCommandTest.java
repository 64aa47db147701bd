package dev.perigee.local.cli;

import static dev.perigee.local.cli.ScriptedRecords.TIME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** On a real broker, topics of its own for each test. */
@DisplayName("OPS-14: perigee erase")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class EraseCommandTest {
    private static final int MANY = 100_000;
    private static final AtomicInteger RUNS = new AtomicInteger();

    private EmbeddedBroker broker;
    private String prefix;
    private ScriptedGateway gateway;

    /** Process ids of what is installed, by user; what is removed for a command. */
    private final Map<String, List<String>> installed = new ConcurrentHashMap<>();

    private volatile boolean answers;
    private volatile boolean reinstalls;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        broker = EmbeddedBroker.start(data);
    }

    @AfterAll
    void stop() {
        broker.close();
    }

    @BeforeEach
    void open() {
        prefix = "e" + RUNS.incrementAndGet() + ".";
        answers = true;
        reinstalls = false;
        installed.clear();
        assertThat(run("topics", "--partitions", "1").exitCode()).isZero();
        gateway = new ScriptedGateway(broker.bootstrap(), new TopicNames(prefix), this::script);
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    private List<Answer> script(Topic topic, byte[] value) {
        if (topic != Topic.COMMANDS || !answers) {
            return List.of();
        }
        Command command;
        try {
            command = Json.read(value, Command.class);
        } catch (InvalidRecordException e) {
            return List.of();
        }
        var payload = command.payload();
        if (!"team_member_removed".equals(payload.event())) {
            return List.of();
        }
        var key = payload.teamId() + "/" + payload.userId();
        for (var process : installed.getOrDefault(key, List.of())) {
            gateway.publishTombstone(Topic.STATUS, process);
            gateway.publishTombstone(Topic.STATE, "instance/" + process);
            if (reinstalls) {
                publish(process, "t1", "u1");
            }
        }
        gateway.flush();
        return List.of(Answer.completed(command, null, TIME));
    }

    private CliRun run(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(1, List.of("--bootstrap", broker.bootstrap(), "--prefix", prefix));
        return CliRun.of(all.toArray(String[]::new));
    }

    private void status(String process, String team, String user) {
        var origin =
                new EventOrigin(process, null, "i", null, "s", team, user, "worker-1", 1, TIME);
        var body = new StatusChanged(ServerStatus.ONLINE, null, null, null);
        gateway.publish(new Answer(Topic.STATUS, process, Event.of(origin, body)));
    }

    private void publish(String process, String team, String user) {
        status(process, team, user);
        // As encrypted ones are: nothing to read, known by its key.
        gateway.publish(new Answer(Topic.STATE, "instance/" + process, RawJson.of("[1]")));
    }

    private void install(String process, String team, String user) {
        publish(process, team, user);
        installed.computeIfAbsent(team + "/" + user, _ -> new ArrayList<>()).add(process);
    }

    private void raw(Topic topic, String key, String json) {
        gateway.publish(new Answer(topic, key, RawJson.of(json)));
    }

    /** What each topic has of a user: how many records, and how many of them are current. */
    private Map<String, String> held(String... arguments) {
        gateway.flush();
        var all = new ArrayList<>(List.of("erase"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--output", "json"));
        var run = run(all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        var held = new HashMap<String, String>();
        for (var row : rows(run)) {
            if (row.path("records").asLong() > 0) {
                held.put(
                        row.path("topic").asString().substring(prefix.length()),
                        row.path("records").asLong() + " " + row.path("current").asLong());
            }
        }
        return held;
    }

    private static List<JsonNode> rows(CliRun run) {
        return run.out()
                .lines()
                .map(line -> Json.tree(line.getBytes(StandardCharsets.UTF_8)))
                .filter(row -> row.has("read"))
                .toList();
    }

    @Test
    @DisplayName("finds the records of exactly this user, whoever else names the user")
    void findsTheUsers() {
        install("p1", "t1", "u1");
        install("p2", "t1", "u11");
        install("p3", "t2", "u1");
        status("p1", "t1", "u1");
        raw(Topic.COMMANDS, "t1/u1", "{\"id\":\"c1\",\"payload\":{}}");
        raw(Topic.COMMANDS, "t1/1", "{\"id\":\"c2\",\"payload\":{}}");
        raw(Topic.COMMANDS, "t1/*", "{\"id\":\"c3\",\"payload\":{\"installation_id\":\"u1\"}}");
        raw(Topic.COMMAND_RESULTS, "c1", "{\"command_id\":\"c1\"}");
        raw(Topic.COMMAND_RESULTS, "c3", "{\"command_id\":\"c3\",\"process_id\":\"p2\"}");
        raw(Topic.TOOL_REQUESTS, "t1/u1", "\"no object: the key decides\"");
        // A colleague cannot have records counted as the user's, nor hide behind an escape.
        raw(
                Topic.TOOL_RESULTS,
                "r1",
                "{\"team_id\":\"t1\",\"user_id\":\"u11\",\"result\":{\"user_id\":\"u1\",\"team_id\":\"t1\"}}");
        raw(Topic.TOOL_RESULTS, "r2", "{\"team_id\":\"t1\",\"user_id\":\"\\u00751\"}");
        raw(Topic.STATE, "suspect-user/t1/u1", "{}");
        raw(Topic.STATE, "suspect-user/t1/u11", "{}");
        raw(
                Topic.HEARTBEATS,
                "w1",
                "{\"processes_by_team\":{\"t2\":[{\"user_id\":\"u1\",\"process_id\":\"p3\"}]}}");
        gateway.publishTombstone(Topic.DEAD_LETTERS, "t1/u1");

        assertThat(held("u1", "--team", "t1"))
                .isEqualTo(
                        Map.of(
                                "status", "2 1",
                                "state", "2 2",
                                "commands", "1 0",
                                "command-results", "1 0",
                                "tool-requests", "1 0",
                                "tool-results", "1 0",
                                "dead-letters", "1 0"));
        assertThat(held("u1", "--team", "t2"))
                .isEqualTo(Map.of("status", "1 1", "state", "1 1", "heartbeats", "1 1"));
        assertThat(held("u1")).containsEntry("status", "3 2").containsEntry("state", "3 3");
        assertThat(held("u")).isEmpty();
        assertThat(run("erase", "u1", "--check").exitCode()).isEqualTo(1);
        assertThat(run("erase", "u", "--check").exitCode()).isZero();
        assertThat(run("erase", "u1").err()).contains("Of the teams t1, t2. Nothing was done");
    }

    @Test
    @DisplayName("uninstalls, buries what nobody else does, and leaves colleagues alone")
    void erases() {
        install("p1", "t1", "u1");
        install("p2", "t1", "u11");
        // Its state was lost: no gateway knows of it.
        status("orphan", "t1", "u1");
        gateway.flush();

        var run = run("erase", "u1", "--yes");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err())
                .contains("1 records of instances that were not installed", "left to the brokers");
        assertThat(held("u1"))
                .containsEntry("status", "2 0")
                .containsEntry("state", "1 0")
                .containsOnlyKeys("status", "state", "commands", "command-results");
        assertThat(held("u11")).isEqualTo(Map.of("status", "1 1", "state", "1 1"));
        assertThat(run.out()).contains("by retention", "max.compaction.lag.ms is not set");
        var again = run("erase", "u1", "--yes");
        assertThat(again.exitCode()).as(again.err()).isZero();
    }

    @Test
    @DisplayName("does nothing else while no gateway answers, and goes on when it is run again")
    void goesOn() {
        install("p1", "t1", "u1");
        status("orphan", "t1", "u1");
        gateway.flush();
        answers = false;

        var first = run("erase", "u1", "--yes", "--deadline", "1s");

        assertThat(first.exitCode()).isEqualTo(1);
        assertThat(first.err()).contains("Run it again");
        assertThat(held("u1")).containsEntry("status", "2 2");
        answers = true;
        var second = run("erase", "u1", "--yes");
        assertThat(second.exitCode()).as(second.err()).isZero();
        assertThat(held("u1")).containsEntry("status", "2 0").containsEntry("state", "1 0");
    }

    @Test
    @DisplayName("says that it failed, and buries nothing new, where the user is installed again")
    void noticesReinstallation() {
        install("p1", "t1", "u1");
        gateway.flush();
        reinstalls = true;

        var run = run("erase", "u1", "--yes");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("Still current on " + prefix + "status, " + prefix + "state");
        assertThat(held("u1")).containsEntry("status", "2 1").containsEntry("state", "2 1");
    }

    @Test
    @DisplayName("fails where a topic keeps its records for ever")
    void wantsRetention() throws Exception {
        install("p1", "t1", "u1");
        gateway.flush();
        var topic = new ConfigResource(ConfigResource.Type.TOPIC, prefix + "commands");
        var forEver =
                new AlterConfigOp(new ConfigEntry("retention.ms", "-1"), AlterConfigOp.OpType.SET);
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            admin.incrementalAlterConfigs(Map.of(topic, List.of(forEver))).all().get();
        }

        var run = run("erase", "u1", "--yes");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("Nothing removes the records on " + prefix + "commands");
        assertThat(run.out()).contains("never: retention.ms is not set");
    }

    @Test
    @DisplayName("finds one user's records among 100,000")
    void findsAFewAmongMany() {
        for (int i = 0; i < MANY; i++) {
            int user = i % 5_000;
            raw(
                    Topic.TOOL_RESULTS,
                    "r" + i,
                    "{\"team_id\":\"t1\",\"user_id\":\"u%d\",\"result\":{\"text\":\"a\\nb u77 \"}}"
                            .formatted(user));
        }
        assertThat(held("u77")).isEqualTo(Map.of("tool-results", "20 0"));
    }
}
