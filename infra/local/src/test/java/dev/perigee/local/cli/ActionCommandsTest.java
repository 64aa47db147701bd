package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@DisplayName("Commands that act on installations")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ActionCommandsTest {
    private final List<Command> sent = new CopyOnWriteArrayList<>();
    private EmbeddedBroker broker;
    private ScriptedGateway gateway;
    private ScriptedGateway old;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        broker = EmbeddedBroker.start(data);
        assertThat(run("topics", "--partitions", "1").exitCode()).isZero();
        assertThat(run("topics", "--partitions", "1", "--prefix", "old.").exitCode()).isZero();
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            admin.deleteTopics(List.of("old.audit")).all().get(30, TimeUnit.SECONDS);
            await().until(() -> !admin.listTopics().names().get().contains("old.audit"));
        }
        gateway = gateway("mcp.");
        old = gateway("old.");
    }

    private ScriptedGateway gateway(String prefix) {
        return new ScriptedGateway(
                broker.bootstrap(),
                new TopicNames(prefix),
                (_, value) -> {
                    var command = Json.read(value, Command.class);
                    sent.add(command);
                    return List.of(Answer.completed(command, null, Instant.now()));
                });
    }

    @AfterAll
    void stop() {
        old.close();
        gateway.close();
        broker.close();
    }

    private CliRun run(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--bootstrap", broker.bootstrap()));
        return CliRun.of(all.toArray(String[]::new));
    }

    private List<JsonNode> audited(String installation) {
        return run("audit", "--installation", installation, "--output", "json")
                .out()
                .lines()
                .map(line -> Json.tree(line.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "restart,restart,restart,",
        "recover,recover,configure,mcp_recovery",
        "block,block,kill,",
        "unblock,unblock,spawn,",
        "delete,delete,configure,mcp_installation_deleted",
        "disable-tool --tool echo,disable_tool,configure,update_tool_status",
        "enable-tool --tool echo,enable_tool,configure,update_tool_status"
    })
    @DisplayName("OPS-05: each is one command, and on the audit topic with its reason")
    void actsAndRecords(String line, String action, String type, String event) {
        var installation = "i-" + action;
        var arguments = new ArrayList<>(List.of(line.split(" ")));
        arguments.addAll(List.of("--team", "t1", "--user", "u1", installation));
        arguments.addAll(List.of("--reason", "new network"));

        var run = run(arguments.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isZero();
        var command =
                sent.stream()
                        .filter(it -> installation.equals(it.payload().installationId()))
                        .findFirst()
                        .orElseThrow();
        assertThat(command.commandType()).isEqualTo(type);
        var payload = command.payload();
        assertThat(payload.event() == null ? payload.action() : payload.event()).isEqualTo(event);
        var records = audited(installation);
        assertThat(records).hasSize(1);
        var record = records.getFirst();
        assertThat(record.path("action").asString()).isEqualTo(action);
        assertThat(record.path("action_id").asString()).isEqualTo(command.id());
        assertThat(record.path("reason").asString()).isEqualTo("new network");
        assertThat(record.path("via").asString()).isEqualTo("cli");
        assertThat(record.path("user_id").asString()).isEqualTo("u1");
        assertThat(record.path("actor").asString()).isEqualTo(System.getProperty("user.name"));
        assertThat(record.path("tool_name").asString(""))
                .isEqualTo(line.contains("--tool") ? "echo" : "");
    }

    @Test
    @DisplayName("OPS-05: without a reason it works as it did, and a table says who did it")
    void needsNoReason() {
        assertThat(run("restart", "--team", "t1", "plain").exitCode()).isZero();

        var table = run("audit", "--installation", "plain");

        assertThat(table.out()).contains("ACTOR", "restart", "t1 plain", "accepted");
        assertThat(run("audit", "--actor", "nobody").err()).contains("Nothing was done");
    }

    @Test
    void refusesReasonsThatAreTooLong() {
        for (var reason : List.of("r".repeat(501), "a\nb")) {
            var run = run("block", "--team", "t1", "long", "--reason", reason);

            assertThat(run.exitCode()).isEqualTo(64);
            assertThat(run.err()).contains("one line of at most 500");
        }
        assertThat(audited("long")).isEmpty();
        assertThat(sent).noneMatch(it -> "long".equals(it.payload().installationId()));
    }

    @Test
    @DisplayName("OPS-05: a redrive of a user's letters is on record under the user")
    void recordsWhoseLettersAreRedriven() {
        assertThat(run("redrive", "--key", "t7/u7", "--all").exitCode()).isZero();
        assertThat(run("redrive", "--team", "t8", "--user", "u8", "--all").exitCode()).isZero();

        for (var id : List.of("7", "8")) {
            var records = run("audit", "--user", "u" + id, "--output", "json").out();
            assertThat(records)
                    .contains("\"action\":\"redrive\"", "\"team_id\":\"t" + id, "u" + id);
        }
    }

    @Test
    @DisplayName("OPS-05: a fleet of before, which has no audit topic, is served as it was")
    void servesAFleetWithoutTheTopic() {
        var run = run("restart", "--team", "t1", "older", "--prefix", "old.");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(sent).anyMatch(it -> "older".equals(it.payload().installationId()));
        assertThat(run("audit", "--prefix", "old.").err()).contains("old." + Topic.AUDIT.suffix());
    }
}
