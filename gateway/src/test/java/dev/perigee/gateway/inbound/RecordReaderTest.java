package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.Addressee;
import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordReaderTest {
    private static final String KEY = "t1/u1";
    private static final String REQUEST =
            """
            {"request_id":"r-1","team_id":"t1","user_id":"u1","method":"tools/call",
             "tool_path":"everything:echo","arguments":{"message":"hi"}}""";
    private static final String KILL =
            """
            {"id":"c-1","command_type":"kill","correlation_id":"x",
             "payload":{"installation_id":"i1","user_id":"u1"}}""";

    private final ReaderBench bench = new ReaderBench();

    @Test
    void readsARequest() {
        bench.header(Headers.REPLY_TOPIC, "replies.a");
        bench.headers.add(Headers.REPLY_PARTITION, ByteBuffer.allocate(4).putInt(3).array());
        bench.headers.add(Headers.CORRELATION_ID, new byte[] {1, 2});
        bench.header(Headers.TRACEPARENT, "00-aa");

        var read = (RequestRead) bench.request(KEY, REQUEST);

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
                        bench.command(
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
        assertThat(((Rejected) bench.request(KEY, value)).reason()).isEqualTo(reason);
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
        var rejected = (Rejected) bench.request(KEY, value);
        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.INVALID);
        assertThat(rejected.detail()).contains("field timeout_ms " + why);
        assertThat(rejected.addressee())
                .isEqualTo(new Addressee.RequestAuthor("r-1", "t1", "u1", "everything:echo", null));

        for (var field : List.of("timeout_ms", "handshake_timeout_ms")) {
            var refused = (Rejected) bench.command(KEY, configure("\"" + field + "\":" + number));
            assertThat(refused.reason()).isEqualTo(DeadLetterReason.INVALID);
            assertThat(refused.detail()).contains("config." + field + " " + why);
            assertThat(refused.addressee())
                    .isEqualTo(new Addressee.CommandAuthor("c-1", null, true));
        }
    }

    @Test
    @DisplayName("TEN-06: a destination that is none rejects the configure, and is not quoted")
    void refusesDestinations() {
        var refused = (Rejected) bench.command(KEY, elsewhere("\"a.example\",\"http://x/\""));

        assertThat(refused.reason()).isEqualTo(DeadLetterReason.INVALID);
        assertThat(refused.detail())
                .contains("field config.egress[1]: must be a host")
                .doesNotContain("http://x");
        assertThat(refused.addressee()).isEqualTo(new Addressee.CommandAuthor("c-1", null, true));
        assertThat(bench.command(KEY, elsewhere("\"*.example.com:443\",\"10.1.2.0/24\"")))
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

        assertThat(((RequestRead) bench.request(KEY, value)).deadline())
                .isEqualTo(Instant.ofEpochMilli(1_000 + Long.parseLong(number)));
        assertThat(bench.command(KEY, configure("\"handshake_timeout_ms\":" + number)))
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
                        bench.command(
                                KEY,
                                KILL.replace("{\"id\"", "{\"expires_at\":\"" + time + "\",\"id\""));

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.INVALID);
        assertThat(rejected.detail()).contains("field expires_at " + why);
    }

    @Test
    void takesTheLastTime() {
        var end = KILL.replace("{\"id\"", "{\"expires_at\":\"9999-12-31T23:59:59Z\",\"id\"");

        assertThat(bench.command(KEY, end)).isInstanceOf(CommandRead.class);
    }

    @Test
    void answersWhomeverItCanMakeOut() {
        var rejected =
                (Rejected)
                        bench.request(
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
                        bench.command(
                                KEY,
                                """
                                {"id":"c-9","command_type":"dance","correlation_id":"k","payload":{}}""");

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.UNSUPPORTED);
        assertThat(rejected.addressee()).isEqualTo(new Addressee.CommandAuthor("c-9", "k", false));
    }

    @Test
    void answersNobodyWhenNothingCanBeRead() {
        assertThat(((Rejected) bench.request(KEY, "garbage")).addressee())
                .isEqualTo(new Addressee.Nobody());
        assertThat(((Rejected) bench.request(KEY, null)).reason())
                .isEqualTo(DeadLetterReason.MALFORMED);
    }

    @Test
    void refusesARecordOnAnotherPartitionThanItsKeys() {
        var rejected = (Rejected) bench.read(Topic.TOOL_REQUESTS, bench.record(KEY, REQUEST, 1));

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.MISROUTED);
        assertThat(rejected.detail())
                .contains("partition " + ReaderBench.partitionOf(KEY), "murmur2");
        assertThat(rejected.addressee())
                .isInstanceOfSatisfying(
                        Addressee.RequestAuthor.class,
                        author -> assertThat(author.requestId()).isEqualTo("r-1"));
    }

    @ParameterizedTest
    @CsvSource({"t1", "t1/", "/u1", "t1/u1/x", "t2/u1"})
    void refusesAKeyOfAnotherForm(String key) {
        assertThat(((Rejected) bench.request(key, REQUEST)).reason())
                .isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    void refusesWhatIsTooLargeAndStillAnswers() {
        var rejected =
                (Rejected)
                        bench.request(
                                KEY, REQUEST.replace("\"hi\"", "\"" + "x".repeat(5_000) + "\""));

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.TOO_LARGE);
        assertThat(rejected.addressee())
                .isInstanceOfSatisfying(
                        Addressee.RequestAuthor.class,
                        author -> assertThat(author.requestId()).isEqualTo("r-1"));
    }

    @ParameterizedTest
    @CsvSource({"other.topic", "mcp.commands", "mcp.state", "xreplies.a"})
    void refusesAReplyTopicThatIsNotAllowed(String topic) {
        bench.header(Headers.REPLY_TOPIC, topic);

        var rejected = (Rejected) bench.request(KEY, REQUEST);

        assertThat(rejected.reason()).isEqualTo(DeadLetterReason.FORBIDDEN_REPLY_TOPIC);
        assertThat(rejected.addressee())
                .isInstanceOfSatisfying(
                        Addressee.RequestAuthor.class,
                        author -> assertThat(author.reply()).isNull());
    }

    @ParameterizedTest
    @CsvSource({"mcp.tool-results", "mcp.my-replies", "replies.b"})
    void allowsTheOthers(String topic) {
        bench.header(Headers.REPLY_TOPIC, topic);

        assertThat(bench.request(KEY, REQUEST)).isInstanceOf(RequestRead.class);
    }

    @Test
    void refusesAReplyPartitionThatIsNone() {
        bench.header(Headers.REPLY_TOPIC, "mcp.r");
        bench.headers.add(Headers.REPLY_PARTITION, new byte[] {1});

        assertThat(((Rejected) bench.request(KEY, REQUEST)).reason())
                .isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    void keepsTheTraceOfWhatItRefuses() {
        bench.header(Headers.TRACEPARENT, "00-1-2-01");

        assertThat(((Rejected) bench.request(KEY, "garbage")).traceparent()).isEqualTo("00-1-2-01");
    }

    @Test
    void refusesAReplyTopicThatIsTooLongToBeOne() {
        var name = "mcp." + "r".repeat(250);
        bench.header(Headers.REPLY_TOPIC, name);

        assertThat(((Rejected) bench.request(KEY, REQUEST)).reason())
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

        assertThat(((Rejected) bench.command(KEY, config)).detail()).doesNotContain(secret);
    }

    @Test
    @DisplayName("OPS-13: takes references, and refuses plain secrets where they are forbidden")
    void forbidsPlainSecrets() {
        var forbids = ReaderBench.reader(PlainSecrets.FORBID, true);
        var command =
                """
                {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
                 "config":{"installation_id":"i1","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"u1","user_slug":"u","transport_type":"stdio","command":"node",
                 "env":{"KEY":%s}}}}""";

        var plain =
                bench.record(KEY, command.formatted("\"s3cret\""), ReaderBench.partitionOf(KEY));
        assertThat(forbids.read(Topic.COMMANDS, plain))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected -> {
                            assertThat(rejected.reason()).isEqualTo(DeadLetterReason.INVALID);
                            assertThat(rejected.detail())
                                    .contains("config.env.KEY")
                                    .doesNotContain("s3cret");
                        });
        assertThat(bench.command(KEY, command.formatted("\"s3cret\"")))
                .isInstanceOf(CommandRead.class);
        var reference =
                bench.record(
                        KEY, command.formatted("{\"ref\":\"key\"}"), ReaderBench.partitionOf(KEY));
        assertThat(forbids.read(Topic.COMMANDS, reference)).isInstanceOf(CommandRead.class);
        assertThat(bench.command(KEY, command.formatted("{\"ref\":\"../key\"}")))
                .isInstanceOf(Rejected.class);
    }

    @Test
    @DisplayName("CAL-17: takes OAuth where the state topic is encrypted, and bound tokens only")
    void takesOAuth() {
        var open = ReaderBench.reader(PlainSecrets.ALLOW, false);
        var command =
                """
                {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
                 "config":{"installation_id":"i1","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"u1","user_slug":"u","transport_type":"http","url":"https://h/mcp",
                 "oauth":%s}}}""";

        var plain = bench.record(KEY, command.formatted("{}"), ReaderBench.partitionOf(KEY));
        assertThat(open.read(Topic.COMMANDS, plain))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected -> assertThat(rejected.detail()).contains("encryption-keys"));
        assertThat(bench.command(KEY, command.formatted("{}"))).isInstanceOf(CommandRead.class);
        var unbound = "{\"access_token\":\"a\",\"refresh_token\":\"s3cret\",\"client_id\":\"c\"}";
        assertThat(bench.command(KEY, command.formatted(unbound)))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected ->
                                assertThat(rejected.detail())
                                        .contains("config.oauth.refresh_token")
                                        .doesNotContain("s3cret"));
    }
}
