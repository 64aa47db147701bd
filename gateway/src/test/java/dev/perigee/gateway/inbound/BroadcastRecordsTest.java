package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.CopyOf;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.inbound.Inbound.ReportRead;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Records of commands for every user of a team, their copies and reports")
final class BroadcastRecordsTest {
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

    private final ReaderBench bench = new ReaderBench();

    @Test
    void refusesAKeyThatAddressesEveryUserOnRequestsOnly() {
        assertThat(((Rejected) bench.request("t1/*", REQUEST)).reason())
                .isEqualTo(DeadLetterReason.INVALID);
        var everyone =
                (CommandRead)
                        bench.command(
                                "t1/*",
                                """
                                {"id":"c","command_type":"kill","payload":{"installation_id":"i1"}}""");
        assertThat(everyone.key().isEveryUser()).isTrue();
        assertThat(((Rejected) bench.command("t1/*", KILL)).reason())
                .isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    @DisplayName(
            "takes the copy of every command for every user that it takes, however it is written")
    void limitsTheOriginalOnly() {
        var key = "t1/*";
        int limit = 64 << 10;
        var most = ReaderBench.reader(1 << 20);
        var place = ReaderBench.partitionOf(key);
        var largest = KILL_ALL + " ".repeat(limit - KILL_ALL.length());
        assertThat(most.read(Topic.COMMANDS, bench.record(key, largest, place)))
                .isInstanceOf(CommandRead.class);
        var larger = (Rejected) most.read(Topic.COMMANDS, bench.record(key, largest + " ", place));
        assertThat(larger.reason()).isEqualTo(DeadLetterReason.TOO_LARGE);

        var of = "mcp.commands-%d@1".formatted(place);
        bench.header(Headers.BROADCAST_OF, of);
        bench.header(Headers.BROADCAST_AT, "5000");
        assertThat(most.read(Topic.COMMANDS, bench.record(key, largest + " ", place)))
                .isInstanceOf(CommandRead.class);
    }

    @Test
    void readsTheCopyOfACommandOnAnyPartition() {
        var key = "t1/*";
        var of = "mcp.commands-" + ReaderBench.partitionOf(key) + "@42";
        bench.header(Headers.BROADCAST_OF, of);
        bench.header(Headers.BROADCAST_AT, "5000");

        for (int partition = 0; partition < ReaderBench.PARTITIONS; partition++) {
            var read =
                    (CommandRead)
                            bench.read(Topic.COMMANDS, bench.record(key, KILL_ALL, partition));
            assertThat(read.isBroadcast()).isFalse();
            assertThat(read.copyOf())
                    .isEqualTo(new CopyOf(RecordOrigin.parse(of), Instant.ofEpochMilli(5_000)));
        }
        assertThat(bench.command("t1/u1", KILL)).isInstanceOf(Rejected.class);
    }

    @ParameterizedTest
    @CsvSource({"mcp.commands-1, 5", "mcp.commands-x@1, 5", "mcp.commands-1@1, soon"})
    void refusesACopyOfNothing(String of, String at) {
        bench.header(Headers.BROADCAST_OF, of);
        bench.header(Headers.BROADCAST_AT, at);

        assertThat(((Rejected) bench.command("t1/*", KILL_ALL)).reason())
                .isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    void readsAReport() {
        bench.headers.add(Headers.BROADCAST_REPORT, new byte[0]);
        var report =
                new BroadcastReport(
                        BroadcastReport.EVENT,
                        new RecordOrigin("mcp.commands", 1, 42),
                        "c-1",
                        3,
                        List.of());

        var read = bench.command("t1/*", new String(Json.write(report), StandardCharsets.UTF_8));

        assertThat(((ReportRead) read).report()).isEqualTo(report);
        assertThat(((Rejected) bench.command("t1/*", KILL_ALL)).reason())
                .isEqualTo(DeadLetterReason.INVALID);
    }

    @Test
    void refusesALargeCommandForEveryUser() {
        var padded = KILL_ALL.replace("{\"id\"", "{\"pad\":\"" + "x".repeat(70_000) + "\",\"id\"");

        assertThat(((Rejected) bench.generous("t1/*", padded)).reason())
                .isEqualTo(DeadLetterReason.TOO_LARGE);
        assertThat(bench.generous("t1/u1", padded)).isInstanceOf(CommandRead.class);
    }
}
