package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.local.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each test has topics of its own, by a prefix of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TopicsCommandTest {
    private EmbeddedBroker broker;
    private Admin admin;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        broker = EmbeddedBroker.start(data);
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
    }

    @AfterAll
    void stop() {
        admin.close();
        broker.close();
    }

    @Test
    void createsThemAsTheContractSays() throws Exception {
        var first = run("a.", "--partitions", "3");
        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(first.out()).contains("created a.commands", "with 3 process partitions");

        var state = new ConfigResource(ConfigResource.Type.TOPIC, "a.state");
        assertThat(valueOf(state, "cleanup.policy")).isEqualTo("compact");
        assertThat(valueOf(state, "segment.ms")).isEqualTo("600000");

        var requests = new ConfigResource(ConfigResource.Type.TOPIC, "a.tool-requests");
        assertThat(valueOf(requests, "message.timestamp.type")).isEqualTo("LogAppendTime");

        var second = run("a.");
        assertThat(second.exitCode()).isZero();
        assertThat(second.out()).doesNotContain("created").contains("with 3 process partitions");
    }

    @Test
    void saysExactlyWhatDiffers() throws Exception {
        run("b.", "--partitions", "2");
        var topic = new ConfigResource(ConfigResource.Type.TOPIC, "b.status");
        var wrong =
                new AlterConfigOp(
                        new ConfigEntry("cleanup.policy", "delete"), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(topic, List.of(wrong))).all().get();
        await().until(() -> valueOf(topic, "cleanup.policy").equals("delete"));

        var run = run("b.", "--partitions", "4");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "TOPIC SETTING WANTED FOUND",
                        "b.commands partitions 4 2",
                        "b.tool-requests partitions 4 2",
                        "b.status cleanup.policy compact delete",
                        "b.state partitions 4 2");
        assertThat(run.err()).contains("never changed in place", "--prefix");
    }

    @Test
    void createsTheRestWithThePartitionsThatAreThere() throws Exception {
        admin.createTopics(
                        List.of(new NewTopic("c.tool-requests", Optional.of(5), Optional.empty())))
                .all()
                .get();
        await().until(() -> admin.listTopics().names().get().contains("c.tool-requests"));

        var run = run("c.", "--output", "json");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .contains("\"partitions\":5", "\"c.state\"")
                .contains("\"setting\":\"max.message.bytes\"");
    }

    @Test
    void checksWithoutCreating() {
        var run = run("d.", "--check");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("d.commands", "missing");
        assertThat(run.err()).contains("Without --check");
        assertThat(run("d.", "--check").out()).isEqualTo(run.out());
    }

    @Test
    void isNeededBeforeAnythingElse() {
        var run = CliRun.of("status", "--bootstrap", broker.bootstrap(), "--prefix", "e.");

        assertThat(run.exitCode()).isEqualTo(69);
        assertThat(run.err())
                .contains("Topic e.status does not exist", "perigee topics --prefix e.");
    }

    @ParameterizedTest
    @CsvSource({
        "g., commands, 'restart --team t --user u i'",
        "h., tool-requests, 'call --team t --user u a:b {}'"
    })
    void namesTheOneTopicThatIsMissing(String prefix, String topic, String line) throws Exception {
        assertThat(run(prefix, "--partitions", "2").exitCode()).isZero();
        admin.deleteTopics(List.of(prefix + topic)).all().get();
        await().until(() -> !admin.listTopics().names().get().contains(prefix + topic));
        var arguments = new ArrayList<>(List.of(line.split(" ")));
        arguments.addAll(List.of("--bootstrap", broker.bootstrap(), "--prefix", prefix));

        var run = CliRun.of(arguments.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isEqualTo(69);
        assertThat(run.err()).contains("Topic " + prefix + topic + " does not exist");
    }

    @Test
    void saysWhatTheBrokerRefuses() {
        var run = run("f.", "--replicas", "3");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("Kafka refuses", "replication factor");
    }

    private String valueOf(ConfigResource topic, String setting) throws Exception {
        var config = admin.describeConfigs(List.of(topic)).all().get().get(topic);
        var entry = config == null ? null : config.get(setting);
        return entry == null ? "none" : entry.value();
    }

    private CliRun run(String prefix, String... more) {
        var arguments = new ArrayList<String>();
        arguments.addAll(List.of("topics", "--bootstrap", broker.bootstrap(), "--prefix", prefix));
        arguments.addAll(List.of(more));
        return CliRun.of(arguments.toArray(String[]::new));
    }
}
