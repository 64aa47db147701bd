package dev.perigee.gateway.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.deadletter.Drafter.Changes;
import dev.perigee.gateway.inbound.RecordReader;
import dev.perigee.gateway.inbound.ReplyTopics;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DrafterTest {
    private static final int PARTITIONS = 8;
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final String REQUEST =
            "{\"request_id\":\"r\",\"team_id\":\"t\",\"user_id\":\"u\",\"method\":\"tools/list\"}";
    private static final String COMMAND =
            "{\"id\":\"c\",\"command_type\":\"restart\",\"expires_at\":\"2026-11-20T09:59:00.000Z\","
                    + "\"payload\":{\"installation_id\":\"i\",\"team_id\":\"t\",\"user_id\":\"u\"}}";
    private static final Changes NONE = changes(Edits.none(), null, null, false);

    @Test
    void putsARecordOnThePartitionOfItsKey() {
        var wrong = (partitionOf("t/u") + 1) % PARTITIONS;

        var record = ready(letter("tool-requests", wrong, "t/u", REQUEST, Map.of()), NONE);

        assertThat(record.topic()).isEqualTo("mcp.tool-requests");
        assertThat(record.partition()).isEqualTo(partitionOf("t/u"));
        assertThat(text(record.value())).isEqualTo(REQUEST);
    }

    @Test
    void saysWhereItComesFromAndHowOften() {
        var letter =
                letter(
                        "tool-requests",
                        0,
                        "t/u",
                        REQUEST,
                        Map.of("perigee-redrives", "2", "traceparent", "00-a"));

        var headers = ready(letter, NONE).headers();

        assertThat(headers.toArray())
                .extracting(header -> header.key() + "=" + text(header.value()))
                .containsExactly(
                        "traceparent=00-a",
                        "perigee-redriven-from=mcp.dead-letters-3@17",
                        "perigee-redrives=3");
    }

    @Test
    void refusesWhatWouldComeBack() {
        var letter = letter("commands", 0, "t/u", "{ no", Map.of());

        assertThat(refusal(letter, NONE)).startsWith("malformed: ");
        assertThat(refusal(letter("commands", 0, "t/x", COMMAND, Map.of()), NONE))
                .startsWith("invalid: key");
        assertThat(ready(letter, changes(Edits.none(), null, null, true)).topic())
                .isEqualTo("mcp.commands");
    }

    @Test
    void refusesACommandThatIsOver() {
        var letter = letter("commands", 0, "t/u", COMMAND, Map.of());

        assertThat(refusal(letter, NONE)).contains("expired", "--expires-in");
        var record = ready(letter, changes(Edits.none(), null, Duration.ofMinutes(5), false));
        assertThat(text(record.value())).contains("\"expires_at\":\"2026-11-20T10:05:00Z\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mcp_installation_deleted", "team_member_removed"})
    void refusesToRemoveInstancesWhereNobodyMay(String event) {
        var value =
                "{\"id\":\"c\",\"command_type\":\"configure\",\"payload\":{\"event\":\"%s\","
                        + "\"installation_id\":\"i\",\"team_id\":\"t\",\"user_id\":\"u\"}}";
        var names = new TopicNames("mcp.");
        var rules =
                new RecordReader(
                        new ReplyTopics(names, List.of()), PARTITIONS, 1 << 20, Duration.ZERO);
        var console = new Drafter(names, PARTITIONS, rules, InstantSource.fixed(NOW));
        var wrong = (partitionOf("t/u") + 1) % PARTITIONS;
        var removal = letter("commands", wrong, "t/u", value.formatted(event), Map.of());
        var other = letter("commands", wrong, "t/u", value.formatted("mcp_recovery"), Map.of());

        assertThat(console.draft(removal))
                .isInstanceOfSatisfying(
                        Draft.Refused.class,
                        it -> assertThat(it.why()).contains("removes instances"));
        assertThat(console.draft(other)).isInstanceOf(Draft.Ready.class);
        assertThat(ready(removal, NONE).topic()).isEqualTo("mcp.commands");
    }

    @Test
    void takesEditsAndANewKey() {
        var edits = Edits.none().set("user_id", "v");
        var letter = letter("tool-requests", 0, "wrong", REQUEST, Map.of());

        var record = ready(letter, changes(edits, "t/v", null, false));

        assertThat(text(record.key())).isEqualTo("t/v");
        assertThat(record.partition()).isEqualTo(partitionOf("t/v"));
        assertThat(text(record.value())).contains("\"user_id\":\"v\"");
    }

    @Test
    void leavesACopyOnThePartitionItWasFor() {
        var original = "mcp.commands-" + partitionOf("t/*") + "@4";
        var value =
                "{\"id\":\"c\",\"command_type\":\"restart\",\"payload\":{\"installation_id\":\"i\","
                        + "\"team_id\":\"t\"}}";
        var partition = (partitionOf("t/*") + 3) % PARTITIONS;
        var letter =
                letter(
                        "commands",
                        partition,
                        "t/*",
                        value,
                        Map.of("perigee-broadcast-of", original, "perigee-broadcast-at", "1"));

        assertThat(ready(letter, NONE).partition()).isEqualTo(partition);
    }

    @Test
    void refusesAReplyTopicThatIsNotAllowed() {
        var headers = Map.of("kafka_replyTopic", "elsewhere");
        var letter = letter("tool-requests", 0, "t/u", REQUEST, headers);

        assertThat(refusal(letter, NONE)).startsWith("forbidden_reply_topic: ");
        var allowed = new Changes(Edits.none(), null, null, List.of("else*"), false);
        assertThat(ready(letter, allowed).topic()).isEqualTo("mcp.tool-requests");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "mcp.commands", "other.commands-0@1", "mcp.status-0@1"})
    void neverWritesElsewhere(String origin) {
        var record = record("t/u", REQUEST, Map.of("perigee-origin", origin));

        assertThat(refusal(record, changes(Edits.none(), null, null, true))).isNotEmpty();
    }

    private static ProducerRecord<byte[], byte[]> ready(
            ConsumerRecord<byte[], byte[]> letter, Changes changes) {
        assertThat(draft(letter, changes)).isInstanceOf(Draft.Ready.class);
        return ((Draft.Ready) draft(letter, changes)).record();
    }

    private static String refusal(ConsumerRecord<byte[], byte[]> letter, Changes changes) {
        assertThat(draft(letter, changes)).isInstanceOf(Draft.Refused.class);
        return ((Draft.Refused) draft(letter, changes)).why();
    }

    private static Draft draft(ConsumerRecord<byte[], byte[]> letter, Changes changes) {
        var clock = InstantSource.fixed(NOW);
        return new Drafter(new TopicNames("mcp."), PARTITIONS, changes, clock).draft(letter);
    }

    private static Changes changes(
            Edits edits, @Nullable String key, @Nullable Duration expiresIn, boolean force) {
        return new Changes(edits, key, expiresIn, List.of("{prefix}*"), force);
    }

    private static ConsumerRecord<byte[], byte[]> letter(
            String topic, int partition, String key, String value, Map<String, String> headers) {
        var record = record(key, value, headers);
        record.headers()
                .add("perigee-origin", bytes("mcp." + topic + "-" + partition + "@5"))
                .add("perigee-reason", bytes("invalid"))
                .add("perigee-detail", bytes("for a test"));
        return record;
    }

    private static ConsumerRecord<byte[], byte[]> record(
            String key, String value, Map<String, String> headers) {
        var record = new ConsumerRecord<>("mcp.dead-letters", 3, 17, bytes(key), bytes(value));
        headers.forEach((name, text) -> record.headers().add(name, bytes(text)));
        return record;
    }

    private static int partitionOf(String key) {
        return Utils.toPositive(Utils.murmur2(bytes(key))) % PARTITIONS;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
