package dev.perigee.local.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RecordJudgeTest {
    private static final String TARGET = "staging-cluster/mcp.";

    private final KnownTools tools = new KnownTools();

    @Test
    void selectsByTeamUserAndInstallation() {
        var restart = SourceRecords.command("t1/u1", SourceRecords.restart("c", "i1"));
        var everyUser =
                SourceRecords.command(
                        "t1/*",
                        "{\"id\":\"c\",\"command_type\":\"restart\",\"payload\":{\"installation_id\":\"i1\"}}");
        var removal =
                SourceRecords.command(
                        "t1/u1",
                        "{\"id\":\"c\",\"command_type\":\"configure\",\"payload\":"
                                + "{\"event\":\"team_member_removed\",\"team_id\":\"t1\",\"user_id\":\"u1\"}}");

        assertThat(judge(select("t1", "u1", "i1"), restart)).isEqualTo(selected("restart", "c"));
        assertThat(judge(select("t2", null, null), restart)).isEqualTo(new Verdict.NotWanted());
        assertThat(judge(select("t1", "u2", null), restart)).isEqualTo(new Verdict.NotWanted());
        assertThat(judge(select("t1", "u1", "i2"), restart)).isEqualTo(new Verdict.NotWanted());
        assertThat(judge(select("t1", "u2", "i1"), everyUser))
                .as("is about every user, this one too")
                .isInstanceOf(Verdict.Selected.class);
        assertThat(judge(select("t1", "u1", "i2"), removal))
                .as("is about all installations of its user")
                .isEqualTo(selected("configure team_member_removed", "c"));
    }

    @Test
    void refusesWhatTheSourcesGatewaysPutAside() {
        var all = Selection.all();

        assertThat(judge(all, SourceRecords.command("t1/u1", "{")))
                .isEqualTo(refused(Refusal.MALFORMED));
        assertThat(judge(all, SourceRecords.command("t1/u1", "")))
                .isEqualTo(refused(Refusal.MALFORMED));
        assertThat(judge(all, SourceRecords.command("t1", SourceRecords.restart("c", "i"))))
                .isEqualTo(refused(Refusal.INVALID));
        assertThat(judge(all, SourceRecords.command("t1/u2", SourceRecords.restart("c", "i"))))
                .isEqualTo(refused(Refusal.INVALID));
        assertThat(
                        judge(
                                all,
                                SourceRecords.command(
                                        "t1/u1",
                                        SourceRecords.restart("c", "i")
                                                .replace("restart", "dance"))))
                .isEqualTo(refused(Refusal.UNSUPPORTED));
        var right = SourceRecords.command("t1/u1", SourceRecords.restart("c", "i"));
        var wrong =
                SourceRecords.at(
                        Topic.COMMANDS,
                        (right.partition() + 1) % SourceRecords.PARTITIONS,
                        "t1/u1",
                        SourceRecords.restart("c", "i"),
                        0,
                        0);
        assertThat(judge(all, wrong)).isEqualTo(refused(Refusal.MISROUTED));
    }

    @Test
    void copiesOriginalsOnly() {
        var everyUser =
                "{\"id\":\"c\",\"command_type\":\"restart\",\"payload\":{\"installation_id\":\"i\"}}";
        var original = SourceRecords.command("t1/*", everyUser);
        var copy = SourceRecords.command("t1/*", everyUser);
        header(copy, Headers.BROADCAST_OF, "mcp.commands-" + copy.partition() + "@1");
        header(copy, Headers.BROADCAST_AT, "1");
        var report =
                SourceRecords.command(
                        "t1/*",
                        "{\"event\":\"e\",\"of\":{\"topic\":\"t\",\"partition\":0,\"offset\":1},"
                                + "\"command_id\":\"c\",\"partition\":0,\"outcomes\":[]}");
        header(report, Headers.BROADCAST_REPORT, "1");
        var back = SourceRecords.command("t1/u1", SourceRecords.restart("c", "i"));
        header(back, ReplayHeaders.OF, TARGET + "commands-1@5");

        assertThat(judge(Selection.all(), original)).isInstanceOf(Verdict.Selected.class);
        assertThat(judge(Selection.all(), copy)).isEqualTo(refused(Refusal.COPY));
        assertThat(judge(Selection.all(), report)).isEqualTo(refused(Refusal.REPORT));
        assertThat(judge(Selection.all(), back)).isEqualTo(refused(Refusal.FROM_TARGET));
    }

    @Test
    void callsOfToolsThatAreKnownToBeReadOnly() {
        learn(
                "p1",
                "i1",
                "s",
                "{\"tool_name\":\"look\",\"read_only_hint\":true}",
                "{\"tool_name\":\"do\"}");

        assertThat(request(IncludedRequests.READ_ONLY, SourceRecords.call("r", "s:look")))
                .isEqualTo(new Verdict.Selected(Topic.TOOL_REQUESTS, "tools/call", "r", key()));
        assertThat(request(IncludedRequests.READ_ONLY, SourceRecords.call("r", "s:do")))
                .isEqualTo(refused(Refusal.NOT_READ_ONLY));
        assertThat(request(IncludedRequests.READ_ONLY, SourceRecords.call("r", "other:look")))
                .as("RPL-03: a server that nobody announced")
                .isEqualTo(refused(Refusal.NOT_READ_ONLY));
        assertThat(request(IncludedRequests.READ_ONLY, SourceRecords.call("r", "s:named")))
                .as("RPL-03: asked for by name")
                .isInstanceOf(Verdict.Selected.class);
        assertThat(request(IncludedRequests.ALL, SourceRecords.call("r", "s:do")))
                .isInstanceOf(Verdict.Selected.class);
        for (var method :
                List.of("resources/list", "resources/templates/list", "completion/complete")) {
            assertThat(
                            request(
                                    IncludedRequests.READ_ONLY,
                                    SourceRecords.call("r", "s").replace("tools/call", method)))
                    .isInstanceOf(Verdict.Selected.class);
        }
    }

    @Test
    void subscriptionsStayAndSoAreNoReads() {
        for (var method : List.of("resources/subscribe", "resources/unsubscribe")) {
            var record = SourceRecords.call("r", "s|x://one").replace("tools/call", method);

            assertThat(request(IncludedRequests.READ_ONLY, record))
                    .isEqualTo(refused(Refusal.NOT_READ_ONLY));
            assertThat(request(IncludedRequests.ALL, record)).isInstanceOf(Verdict.Selected.class);
        }
    }

    @Test
    void aToolThatOneOfTwoInstallationsDoesNotCallReadOnlyIsNot() {
        learn("p1", "i1", "s", "{\"tool_name\":\"look\",\"read_only_hint\":true}");
        learn("p2", "i2", "s", "{\"tool_name\":\"look\"}");
        var named =
                SourceRecords.call("r", "s:look").replace("{}", "{},\"installation_id\":\"i1\"");

        assertThat(request(IncludedRequests.READ_ONLY, SourceRecords.call("r", "s:look")))
                .isEqualTo(refused(Refusal.NOT_READ_ONLY));
        assertThat(request(IncludedRequests.READ_ONLY, named)).isInstanceOf(Verdict.Selected.class);

        tools.learn("p2", null);
        assertThat(request(IncludedRequests.READ_ONLY, SourceRecords.call("r", "s:look")))
                .isInstanceOf(Verdict.Selected.class);
    }

    private static RecordKey key() {
        return new RecordKey("t1", "u1");
    }

    private void learn(String process, String installation, String slug, String... toolFields) {
        var list =
                String.join(
                        ",",
                        Arrays.stream(toolFields)
                                .map(
                                        fields ->
                                                fields.replace(
                                                        "}",
                                                        ",\"tool_path\":\"p\",\"input_schema\":{},"
                                                                + "\"token_count\":1}"))
                                .toList());
        var event =
                """
                {"event":"mcp.tools.discovered","process_id":"%s","installation_id":"%s","server_slug":"%s",
                 "team_id":"t1","user_id":"u1","worker_id":"w","seq":1,"timestamp":"2026-11-20T10:00:00Z",
                 "tool_count":1,"total_tokens":1,"discovered_at":"2026-11-20T10:00:00Z","tools":[%s]}"""
                        .formatted(process, installation, slug, list);
        tools.learn(process, Event.read(event.getBytes(StandardCharsets.UTF_8)));
    }

    private Verdict request(IncludedRequests requests, String value) {
        return new RecordJudge(
                        SourceRecords.NAMES,
                        SourceRecords.PARTITIONS,
                        new Selection(
                                null,
                                null,
                                List.of(),
                                null,
                                null,
                                null,
                                requests,
                                List.of("s:named")),
                        tools,
                        TARGET)
                .judge(Topic.TOOL_REQUESTS, SourceRecords.request("t1/u1", value));
    }

    private Verdict judge(Selection selection, ConsumerRecord<byte[], byte[]> record) {
        return new RecordJudge(
                        SourceRecords.NAMES, SourceRecords.PARTITIONS, selection, tools, TARGET)
                .judge(Topic.COMMANDS, record);
    }

    private static Selection select(
            String team, @Nullable String user, @Nullable String installation) {
        return new Selection(
                null, null, List.of(), team, user, installation, IncludedRequests.NONE, null);
    }

    private static Verdict selected(String what, String id) {
        return new Verdict.Selected(Topic.COMMANDS, what, id, key());
    }

    private static Verdict refused(Refusal reason) {
        return new Verdict.Refused(reason);
    }

    private static void header(ConsumerRecord<?, ?> record, String name, String value) {
        ReplayHeaders.add(record.headers(), name, value);
    }
}
