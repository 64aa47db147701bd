package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.TopicTail;
import dev.perigee.gateway.deadletter.Drafter;
import dev.perigee.gateway.deadletter.Drafter.Changes;
import dev.perigee.gateway.deadletter.Edits;
import dev.perigee.gateway.deadletter.LetterFilter;
import dev.perigee.gateway.deadletter.Redrive;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Dead letters are shown without secrets and put back once. Each test has a prefix of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeadLetterCommandsTest {
    private static final String GOOD =
            "{\"request_id\":\"r\",\"team_id\":\"t\",\"user_id\":\"u\",\"method\":\"tools/list\"}";

    @TempDir private Path directory;
    private EmbeddedBroker broker;
    private KafkaProducer<byte[], byte[]> producer;
    private String prefix = "";
    private int number;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        broker = EmbeddedBroker.start(data);
        producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", broker.bootstrap(), "linger.ms", 0),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
    }

    @AfterAll
    void stop() {
        producer.close();
        broker.close();
    }

    @BeforeEach
    void topics() {
        prefix = "p" + ++number + ".";
        assertThat(run("topics", "--partitions", "2").exitCode()).isZero();
    }

    @Test
    void listsWithoutValuesAndByFilter() throws Exception {
        letter("t/u", "malformed", "commands", "{ secret");
        letter("t/v", "invalid", "tool-requests", "{}");

        var all = run("dead-letters", "list");
        assertThat(all.exitCode()).as(all.err()).isZero();
        assertThat(all.out().lines()).hasSize(3);
        assertThat(all.out()).contains("malformed", "t/v").doesNotContain("secret");
        assertThat(run("dead-letters", "list", "--user", "v", "--output", "json").out().lines())
                .singleElement()
                .satisfies(
                        line ->
                                assertThat(tree(line).path("origin").asString())
                                        .isEqualTo(prefix + "tool-requests-0@5"));
        assertThat(run("dead-letters", "list", "--reason", "malformed").out()).contains("t/u");
        assertThat(run("dead-letters", "list", "--origin", "commands").out()).doesNotContain("t/v");
        assertThat(run("dead-letters", "list", "--until", "1h").err()).contains("no such");
        assertThat(run("dead-letters", "list", "--limit", "1").err()).contains("1 older");
    }

    @Test
    void showsNoSecretsUnlessToldTo() throws Exception {
        var value = "{\"payload\":{\"config\":{\"env\":{\"A\":\"hide-me\"},\"args\":[\"seen\"]}}}";
        var place = letter("t/u", "invalid", "commands", value);
        var broken = letter("t/u", "malformed", "commands", "{\"env\": hide-me");

        var masked = run("dead-letters", "show", place, broken);
        assertThat(masked.exitCode()).as(masked.err()).isZero();
        assertThat(masked.out()).contains("seen", "***", "no JSON").doesNotContain("hide-me");
        var plain = run("dead-letters", "show", "--unmask", place, broken);
        assertThat(plain.out().split("hide-me", -1)).hasSize(3);
        var json = run("dead-letters", "show", prefix + "commands-0@5", "--output", "json");
        assertThat(tree(json.out().lines().findFirst().orElseThrow()).at("/value/payload"))
                .isNotEmpty();
        assertThat(run("dead-letters", "show", "0@999").exitCode()).isEqualTo(1);
    }

    @Test
    void putsBackOnce() throws Exception {
        var place = letter("t/u", "misrouted", "tool-requests", GOOD);

        var dry = run("redrive", "--all", "--dry-run");
        assertThat(dry.out()).contains("would redrive");
        assertThat(written(Topic.TOOL_REQUESTS)).isEmpty();

        var first = run("redrive", "--offset", place);
        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(first.err()).contains("1 put back");
        assertThat(written(Topic.TOOL_REQUESTS))
                .singleElement()
                .satisfies(record -> assertThat(text(record.value())).isEqualTo(GOOD))
                .satisfies(
                        record ->
                                assertThat(
                                                text(
                                                        record.headers()
                                                                .lastHeader("perigee-redriven-from")
                                                                .value()))
                                        .isEqualTo(prefix + "dead-letters-" + place));

        var second = run("redrive", "--all");
        assertThat(second.exitCode()).isZero();
        assertThat(second.err()).contains("1 were put back before", "nothing to put back");
        assertThat(written(Topic.TOOL_REQUESTS)).hasSize(1);
        assertThat(run("dead-letters", "list").out()).contains(prefix + "tool-requests-");
        assertThat(run("dead-letters", "list", "--open").err()).contains("no such");

        assertThat(run("redrive", "--all", "--again").exitCode()).isZero();
        assertThat(written(Topic.TOOL_REQUESTS)).hasSize(2);
    }

    @Test
    void editsWhatWouldComeBack() throws Exception {
        letter("t/u", "malformed", "tool-requests", "{ no json");

        var refused = run("redrive", "--reason", "malformed");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.out()).contains("refused", "not valid JSON");
        assertThat(written(Topic.TOOL_REQUESTS)).isEmpty();

        var patch = Files.writeString(directory.resolve("patch.json"), GOOD);
        var edited =
                run(
                        "redrive",
                        "--key",
                        "t/u",
                        "--edit",
                        patch.toString(),
                        "--set",
                        "user_id=w",
                        "--new-key",
                        "t/w",
                        "--output",
                        "json");
        assertThat(edited.exitCode()).as(edited.err()).isZero();
        assertThat(tree(edited.out()).path("outcome").asString()).isEqualTo("redriven");
        assertThat(written(Topic.TOOL_REQUESTS))
                .singleElement()
                .satisfies(record -> assertThat(text(record.key())).isEqualTo("t/w"))
                .satisfies(
                        record ->
                                assertThat(tree(text(record.value())).path("user_id").asString())
                                        .isEqualTo("w"));
    }

    @Test
    void aRunThatAnotherEndedWritesNothing() throws Exception {
        letter("t/u", "misrouted", "tool-requests", GOOD);
        var kafka = new KafkaConnection(broker.bootstrap(), new TopicNames(prefix), Map.of());
        var box = new ClientLetters(kafka).box();
        var changes = new Changes(Edits.none(), null, null, List.of(), false);
        var drafter = new Drafter(kafka.names(), 2, changes, InstantSource.system());
        try (var first = new ClientLetters(kafka).redrive()) {
            var chosen = box.letters(LetterFilter.at(Set.of()));
            assertThat(run("redrive", "--all").exitCode()).isZero();

            assertThatThrownBy(() -> first.run(chosen, box, null, drafter, each -> {}))
                    .isInstanceOf(Redrive.TakenOverException.class);
        }
        assertThat(written(Topic.TOOL_REQUESTS)).hasSize(1);
    }

    /** Writes a letter as a gateway does; gives where it is. */
    private String letter(String key, String reason, String topic, String value) throws Exception {
        var record = new ProducerRecord<>(prefix + "dead-letters", 0, bytes(key), bytes(value));
        record.headers()
                .add("perigee-reason", bytes(reason))
                .add("perigee-detail", bytes("not as it should be"))
                .add("perigee-origin", bytes(prefix + topic + "-0@5"));
        var written = producer.send(record).get();
        return written.partition() + "@" + written.offset();
    }

    private List<ConsumerRecord<byte[], byte[]>> written(Topic topic) {
        var kafka = new KafkaConnection(broker.bootstrap(), new TopicNames(prefix), Map.of());
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        try (var tail = TopicTail.open(kafka, new TopicTail.Start.Beginning(), topic)) {
            while (!tail.hasCaughtUp()) {
                records.addAll(tail.poll(Duration.ofMillis(100)));
            }
        }
        return records;
    }

    private CliRun run(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--bootstrap", broker.bootstrap(), "--prefix", prefix));
        return CliRun.of(all.toArray(String[]::new));
    }

    private static JsonNode tree(String json) {
        return Json.tree(bytes(json));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
