package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.Addressee;
import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.CopyOf;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.inbound.Inbound.ReportRead;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordReaderTest {
    private static final int PARTITIONS = 8;
    private static final TopicNames NAMES = new TopicNames("mcp.");
    private static final String KEY = "t1/u1";
    private static final String REQUEST =
            """
            {"request_id":"r-1","team_id":"t1","user_id":"u1","method":"tools/call",
             "tool_path":"everything:echo","arguments":{"message":"hi"}}""";
    private static final String KILL =
            """
            {"id":"c-1","command_type":"kill","correlation_id":"x",
             "payload":{"installation_id":"i1","user_id":"u1"}}""";

    private static final String KILL_ALL =
            """
            {"id":"c-1","command_type":"kill","payload":{"installation_id":"i1"}}""";

    private final RecordReader reader = reader(4_096);
    private final RecordHeaders headers = new RecordHeaders();

    @Test
    void readsARequest() {
        headers.add(Headers.REPLY_TOPIC, "replies.a".getBytes(StandardCharsets.UTF_8));
        headers.add(Headers.REPLY_PARTITION, ByteBuffer.allocate(4).putInt(3).array());
        headers.add(Headers.CORRELATION_ID, new byte[] {1, 2});
        headers.add(Headers.TRACEPARENT, "00-aa".getBytes(StandardCharsets.UTF_8));

        var read = (RequestRead) request(KEY, REQUEST);

        assertThat(read.origin().toString()).endsWith("@7");
        assertThat(read.method()).isEqualTo(ToolMethod.TOOLS_CALL);
        assertThat(read.path()).isEqualTo(new ToolPath("everything", "echo"));
        assertThat(read.deadline()).isEqualTo(Instant.ofEpochMilli(31_000));
        assertThat(read.traceparent()).isEqualTo("00-aa");
        assertThat(read.reply())
                .satisfies(
                        reply -> {
                            assertThat(reply.topic()).isEqualTo("replies.a");
                            assertThat(reply.partition()).isEqualTo(3);
                            assertThat(reply.correlationId()).containsExactly(1, 2);
                        });
    }

    @Test
    void readsACommandAndTakesTheUserFromTheKey() {
        var read =
                (CommandRead)
                        command(
                                KEY,
                                """
                                {"id":"c-1","command_type":"kill","payload":{"installation_id":"i1"}}""");

        assertThat(read.key()).isEqualTo(new RecordKey("t1", "u1"));
        assertThat(read.action()).isEqualTo(new CommandAction.Kill("i1", null, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"request_id\": | MALFORMED",
                "[] | INVALID",
                "{\"team_id\":\"t1\",\"user_id\":\"u1\",\"method\":\"tools/list\"} | INVALID",
                "{\"request_id\":\"r\",\"team_id\":\"t1\",\"user_id\":\"u1\"} | INVALID",
                "{\"request_id\":\"r\",\"team_id\":\"t1\",\"user_id\":\"u1\",\"method\":\"x\"} | INVALID",
                "{\"request_id\":\"r\",\"team_id\":\"t1\",\"user_id\":\"u1\",\"method\":\"tools/call\"} | INVALID",
                "{\"request_id\":\"r\",\"team_id\":\"t2\",\"user_id\":\"u1\",\"method\":\"tools/list\"} | INVALID",
                "{\"request_id\":\"r\",\"team_id\":\"t1\",\"user_id\":\"u2\",\"method\":\"tools/list\"} | INVALID",
                "{\"request_id\":\"r\",\"team_id\":1,\"user_id\":\"u1\",\"method\":\"tools/list\"} | INVALID",
            })
    void putsARequestAsideThatIsNotOne(String value, DeadLetterReason reason) {
        assertThat(((Rejected) request(KEY, value)).reason()).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-1 | must be an integer from 1 to 86400000",
                "0 | must be an integer from 1 to 86400000",
                "86400001 | must be an integer from 1 to 86400000",
                "1000000000000000000 | must be an integer from 1 to 86400000",
                "-9223372036854775808 | must be an integer from 1 to 86400000",
                "9223372036854775808 | is a number beyond every limit",
                "-1000000000000000000000000000000 | is a number beyond every limit",
                "1.5 | has a wrong type",
                "1e3 | has a wrong type",
                "\"5\" | has a wrong type",
                "true | has a wrong type",
            })
    @DisplayName("a number that a field cannot have is refused with the field and its limits")
    void refusesNumbersOutsideTheirLimits(String number, String why) {
        var value = REQUEST.replace("{\"req", "{\"timeout_ms\":" + number + ",\"req");
        var rejected = (Rejected) request(KEY, value);
        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.INVALID);
        assertThat(rejected.detail()).contains("field timeout_ms " + why);
        assertThat(rejected.addressee())
                .isEqualTo(new Addressee.RequestAuthor("r-1", "t1", "u1", "everything:echo", null));

        for (var field : List.of("timeout_ms", "handshake_timeout_ms")) {
            var refused = (Rejected) command(KEY, configure("\"" + field + "\":" + number));
            assertThat(refused.reason()).isEqualTo(DeadLetterReason.INVALID);
            assertThat(refused.detail()).contains("config." + field + " " + why);
            assertThat(refused.addressee())
                    .isEqualTo(new Addressee.CommandAuthor("c-1", null, true));
        }
    }

    @Test
    @DisplayName("TEN-06: a destination that is none rejects the configure, and is not quoted")
    void refusesDestinations() {
        var refused = (Rejected) command(KEY, elsewhere("\"a.example\",\"http://x/\""));

        assertThat(refused.reason()).isEqualTo(DeadLetterReason.INVALID);
        assertThat(refused.detail())
                .contains("field config.egress[1]: must be a host")
                .doesNotContain("http://x");
        assertThat(refused.addressee()).isEqualTo(new Addressee.CommandAuthor("c-1", null, true));
        assertThat(command(KEY, elsewhere("\"*.example.com:443\",\"10.1.2.0/24\"")))
                .isInstanceOf(CommandRead.class);
    }

    private static String elsewhere(String destinations) {
        return configure("\"url\":\"http://a.example/\",\"egress\":[" + destinations + "]")
                .replace("\"stdio\"", "\"http\"");
    }

    private static String configure(String field) {
        return """
        {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
         "config":{"installation_id":"i","server_slug":"s","team_id":"t1","team_slug":"t",
          "user_id":"u1","user_slug":"u","transport_type":"stdio","command":"node",%s}}}"""
                .formatted(field);
    }

    @ParameterizedTest
    @CsvSource({"1", "86400000"})
    void takesNumbersWithinTheirLimits(String number) {
        var value = REQUEST.replace("{\"req", "{\"timeout_ms\":" + number + ",\"req");

        assertThat(((RequestRead) request(KEY, value)).deadline())
                .isEqualTo(Instant.ofEpochMilli(1_000 + Long.parseLong(number)));
        assertThat(command(KEY, configure("\"handshake_timeout_ms\":" + number)))
                .isInstanceOf(CommandRead.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "+10000-01-01T00:00:00Z | must be a time of the years 0000 to 9999",
                "+999999999-12-31T23:59:59Z | must be a time of the years 0000 to 9999",
                "-0001-01-01T00:00:00Z | must be a time of the years 0000 to 9999",
                "+9999999999-01-01T00:00:00Z | is not an ISO-8601 timestamp",
                "never | is not an ISO-8601 timestamp",
            })
    void refusesTimesFarAway(String time, String why) {
        var rejected =
                (Rejected)
                        command(
                                KEY,
                                KILL.replace("{\"id\"", "{\"expires_at\":\"" + time + "\",\"id\""));

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.INVALID);
        assertThat(rejected.detail()).contains("field expires_at " + why);
    }

    @Test
    void takesTheLastTime() {
        var end = KILL.replace("{\"id\"", "{\"expires_at\":\"9999-12-31T23:59:59Z\",\"id\"");

        assertThat(command(KEY, end)).isInstanceOf(CommandRead.class);
    }

    @Test
    void answersWhomeverItCanMakeOut() {
        var rejected =
                (Rejected)
                        request(
                                KEY,
                                """
                                {"request_id":"r-9","team_id":5,"user_id":"u1","method":"tools/list"}""");

        assertThat(rejected.addressee())
                .isEqualTo(new Addressee.RequestAuthor("r-9", null, "u1", null, null));
    }

    @Test
    void answersACommandOfAnUnknownType() {
        var rejected =
                (Rejected)
                        command(
                                KEY,
                                """
                                {"id":"c-9","command_type":"dance","correlation_id":"k","payload":{}}""");

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.UNSUPPORTED);
        assertThat(rejected.addressee()).isEqualTo(new Addressee.CommandAuthor("c-9", "k", false));
    }

    @Test
    void answersNobodyWhenNothingCanBeRead() {
        assertThat(((Rejected) request(KEY, "garbage")).addressee())
                .isEqualTo(new Addressee.Nobody());
        assertThat(((Rejected) request(KEY, null)).reason()).isEqualTo(DeadLetterReason.MALFORMED);
    }

    @Test
    void refusesARecordOnAnotherPartitionThanItsKeys() {
        var rejected = (Rejected) reader.read(Topic.TOOL_REQUESTS, record(KEY, REQUEST, 1));

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.MISROUTED);
        assertThat(rejected.detail()).contains("partition " + partitionOf(KEY), "murmur2");
        assertThat(rejected.addressee())
                .isInstanceOfSatisfying(
                        Addressee.RequestAuthor.class,
                        author -> assertThat(author.requestId()).isEqualTo("r-1"));
    }

    @ParameterizedTest
    @CsvSource({"t1", "t1/", "/u1", "t1/u1/x", "t2/u1"})
    void refusesAKeyOfAnotherForm(String key) {
        assertThat(((Rejected) request(key, REQUEST)).reason()).isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    void refusesAKeyThatAddressesEveryUserOnRequestsOnly() {
        assertThat(((Rejected) request("t1/*", REQUEST)).reason())
                .isEqualTo(DeadLetterReason.INVALID);
        var everyone =
                (CommandRead)
                        command(
                                "t1/*",
                                """
                                {"id":"c","command_type":"kill","payload":{"installation_id":"i1"}}""");
        assertThat(everyone.key().isEveryUser()).isTrue();
        assertThat(((Rejected) command("t1/*", KILL)).reason()).isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    @DisplayName(
            "takes the copy of every command for every user that it takes, however it is written")
    void limitsTheOriginalOnly() {
        var key = "t1/*";
        int limit = 64 << 10;
        var most = reader(1 << 20);
        var place = partitionOf(key);
        var largest = KILL_ALL + " ".repeat(limit - KILL_ALL.length());
        assertThat(most.read(Topic.COMMANDS, record(key, largest, place)))
                .isInstanceOf(CommandRead.class);
        var larger = (Rejected) most.read(Topic.COMMANDS, record(key, largest + " ", place));
        assertThat(larger.reason()).isEqualTo(DeadLetterReason.TOO_LARGE);

        var of = "mcp.commands-%d@1".formatted(place);
        headers.add(Headers.BROADCAST_OF, of.getBytes(StandardCharsets.UTF_8));
        headers.add(Headers.BROADCAST_AT, "5000".getBytes(StandardCharsets.UTF_8));
        assertThat(most.read(Topic.COMMANDS, record(key, largest + " ", place)))
                .isInstanceOf(CommandRead.class);
    }

    @Test
    void readsTheCopyOfACommandOnAnyPartition() {
        var key = "t1/*";
        var of = "mcp.commands-" + partitionOf(key) + "@42";
        headers.add(Headers.BROADCAST_OF, of.getBytes(StandardCharsets.UTF_8));
        headers.add(Headers.BROADCAST_AT, "5000".getBytes(StandardCharsets.UTF_8));

        for (int partition = 0; partition < PARTITIONS; partition++) {
            var read = (CommandRead) reader.read(Topic.COMMANDS, record(key, KILL_ALL, partition));
            assertThat(read.isBroadcast()).isFalse();
            assertThat(read.copyOf())
                    .isEqualTo(new CopyOf(RecordOrigin.parse(of), Instant.ofEpochMilli(5_000)));
        }
        assertThat(command(KEY, KILL)).isInstanceOf(Rejected.class);
    }

    @ParameterizedTest
    @CsvSource({"mcp.commands-1, 5", "mcp.commands-x@1, 5", "mcp.commands-1@1, soon"})
    void refusesACopyOfNothing(String of, String at) {
        headers.add(Headers.BROADCAST_OF, of.getBytes(StandardCharsets.UTF_8));
        headers.add(Headers.BROADCAST_AT, at.getBytes(StandardCharsets.UTF_8));

        assertThat(((Rejected) command("t1/*", KILL_ALL)).reason())
                .isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    void readsAReport() {
        headers.add(Headers.BROADCAST_REPORT, new byte[0]);
        var report =
                new BroadcastReport(
                        BroadcastReport.EVENT,
                        new RecordOrigin("mcp.commands", 1, 42),
                        "c-1",
                        3,
                        List.of());

        var read = command("t1/*", new String(Json.write(report), StandardCharsets.UTF_8));

        assertThat(((ReportRead) read).report()).isEqualTo(report);
        assertThat(((Rejected) command("t1/*", KILL_ALL)).reason())
                .isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    void refusesALargeCommandForEveryUser() {
        var padded = KILL_ALL.replace("{\"id\"", "{\"pad\":\"" + "x".repeat(70_000) + "\",\"id\"");

        assertThat(((Rejected) generous("t1/*", padded)).reason())
                .isEqualTo(DeadLetterReason.TOO_LARGE);
        assertThat(generous(KEY, padded)).isInstanceOf(CommandRead.class);
    }

    @Test
    void refusesWhatIsTooLargeAndStillAnswers() {
        var rejected =
                (Rejected) request(KEY, REQUEST.replace("\"hi\"", "\"" + "x".repeat(5_000) + "\""));

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.TOO_LARGE);
        assertThat(rejected.addressee())
                .isInstanceOfSatisfying(
                        Addressee.RequestAuthor.class,
                        author -> assertThat(author.requestId()).isEqualTo("r-1"));
    }

    @ParameterizedTest
    @CsvSource({"other.topic", "mcp.commands", "mcp.state", "xreplies.a"})
    void refusesAReplyTopicThatIsNotAllowed(String topic) {
        headers.add(Headers.REPLY_TOPIC, topic.getBytes(StandardCharsets.UTF_8));

        var rejected = (Rejected) request(KEY, REQUEST);

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.FORBIDDEN_REPLY_TOPIC);
        assertThat(rejected.addressee())
                .isInstanceOfSatisfying(
                        Addressee.RequestAuthor.class,
                        author -> assertThat(author.reply()).isNull());
    }

    @ParameterizedTest
    @CsvSource({"mcp.tool-results", "mcp.my-replies", "replies.b"})
    void allowsTheOthers(String topic) {
        headers.add(Headers.REPLY_TOPIC, topic.getBytes(StandardCharsets.UTF_8));

        assertThat(request(KEY, REQUEST)).isInstanceOf(RequestRead.class);
    }

    @Test
    void refusesAReplyPartitionThatIsNone() {
        headers.add(Headers.REPLY_TOPIC, "mcp.r".getBytes(StandardCharsets.UTF_8));
        headers.add(Headers.REPLY_PARTITION, new byte[] {1});

        assertThat(((Rejected) request(KEY, REQUEST)).reason()).isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    void keepsTheTraceOfWhatItRefuses() {
        headers.add(Headers.TRACEPARENT, "00-1-2-01".getBytes(StandardCharsets.UTF_8));

        assertThat(((Rejected) request(KEY, "garbage")).traceparent()).isEqualTo("00-1-2-01");
    }

    @Test
    void refusesAReplyTopicThatIsTooLongToBeOne() {
        var name = "mcp." + "r".repeat(250);
        headers.add(Headers.REPLY_TOPIC, name.getBytes(StandardCharsets.UTF_8));

        assertThat(((Rejected) request(KEY, REQUEST)).reason())
                .isEqualTo(DeadLetterReason.FORBIDDEN_REPLY_TOPIC);
    }

    @Test
    void neverShowsAValueInTheDetail() {
        var secret = "s3cr3t";
        var config =
                """
                {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
                 "config":{"installation_id":"i1","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"u1","user_slug":"u","transport_type":"stdio","env":{"KEY":["%s"]}}}}"""
                        .formatted(secret);

        assertThat(((Rejected) command(KEY, config)).detail()).doesNotContain(secret);
    }

    @Test
    @DisplayName("OPS-13: takes references, and refuses plain secrets where they are forbidden")
    void forbidsPlainSecrets() {
        var forbids = reader(PlainSecrets.FORBID, true);
        var command =
                """
                {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
                 "config":{"installation_id":"i1","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"u1","user_slug":"u","transport_type":"stdio","command":"node",
                 "env":{"KEY":%s}}}}""";

        var plain = record(KEY, command.formatted("\"s3cret\""), partitionOf(KEY));
        assertThat(forbids.read(Topic.COMMANDS, plain))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected -> {
                            assertThat(rejected.reason()).isEqualTo(DeadLetterReason.INVALID);
                            assertThat(rejected.detail())
                                    .contains("config.env.KEY")
                                    .doesNotContain("s3cret");
                        });
        assertThat(command(KEY, command.formatted("\"s3cret\""))).isInstanceOf(CommandRead.class);
        var reference = record(KEY, command.formatted("{\"ref\":\"key\"}"), partitionOf(KEY));
        assertThat(forbids.read(Topic.COMMANDS, reference)).isInstanceOf(CommandRead.class);
        assertThat(command(KEY, command.formatted("{\"ref\":\"../key\"}")))
                .isInstanceOf(Rejected.class);
    }

    @Test
    @DisplayName("CAL-17: takes OAuth where the state topic is encrypted, and bound tokens only")
    void takesOAuth() {
        var open = reader(PlainSecrets.ALLOW, false);
        var command =
                """
                {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
                 "config":{"installation_id":"i1","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"u1","user_slug":"u","transport_type":"http","url":"https://h/mcp",
                 "oauth":%s}}}""";

        var plain = record(KEY, command.formatted("{}"), partitionOf(KEY));
        assertThat(open.read(Topic.COMMANDS, plain))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected -> assertThat(rejected.detail()).contains("encryption-keys"));
        assertThat(command(KEY, command.formatted("{}"))).isInstanceOf(CommandRead.class);
        var unbound = "{\"access_token\":\"a\",\"refresh_token\":\"s3cret\",\"client_id\":\"c\"}";
        assertThat(command(KEY, command.formatted(unbound)))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected ->
                                assertThat(rejected.detail())
                                        .contains("config.oauth.refresh_token")
                                        .doesNotContain("s3cret"));
    }

    private static RecordReader reader(long maxBytes) {
        return new RecordReader(
                new ReplyTopics(NAMES, List.of("{prefix}*", "replies.*")),
                PARTITIONS,
                maxBytes,
                Duration.ofSeconds(30));
    }

    /** One of these rules for secrets. */
    private static RecordReader reader(PlainSecrets plain, boolean sealsState) {
        return new RecordReader(
                new ReplyTopics(NAMES, List.of()),
                PARTITIONS,
                1 << 20,
                Duration.ofSeconds(30),
                Duration.ofHours(1),
                new BrokerClock(),
                plain,
                sealsState);
    }

    private Inbound generous(String key, String value) {
        return reader(1 << 20).read(Topic.COMMANDS, record(key, value, partitionOf(key)));
    }

    private Inbound request(String key, @Nullable String value) {
        return reader.read(Topic.TOOL_REQUESTS, record(key, value, partitionOf(key)));
    }

    private Inbound command(String key, String value) {
        return reader.read(Topic.COMMANDS, record(key, value, partitionOf(key)));
    }

    private static int partitionOf(String key) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % PARTITIONS;
    }

    @SuppressWarnings("NullAway") // a tombstone
    private ConsumerRecord<byte[], byte[]> record(
            String key, @Nullable String value, int partition) {
        byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
        return new ConsumerRecord<>(
                "topic",
                partition,
                7,
                1_000,
                TimestampType.LOG_APPEND_TIME,
                key.length(),
                bytes == null ? -1 : bytes.length,
                key.getBytes(StandardCharsets.UTF_8),
                bytes,
                headers,
                Optional.empty());
    }
}
