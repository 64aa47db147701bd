package dev.perigee.gateway.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.BroadcastReport;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A command for every user of a team")
final class BroadcastFlowTest {
    /** Numbers of what owners write to the topic of commands for it. */
    private static final int COPY = 1;

    private static final int REPORT = 3;

    @AutoClose private final OwnedPartition partition = new OwnedPartition();

    @Test
    @DisplayName("is copied, ordered, reported and has one result")
    void forEveryUser() {
        partition.installed("i-1");
        var session = partition.serve();
        var original = forAll("c-1", "i-1");
        assertThat(partition.result("c-1", 1).outcome()).isEqualTo(CommandOutcome.ACKNOWLEDGED);

        bringBack(COPY);
        bringBack(REPORT);
        TestWaits.until("noted", () -> written("broadcast/c-1").size() == 2);
        reportOfTheOther(original);

        var result = partition.result("c-1", 2);
        assertThat(result.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(Objects.requireNonNull(result.result()).instances()).hasSize(1);
        assertThat(orders(session, LinkMethod.STOP)).hasSize(1);
        assertThat(partition.stateNames())
                .contains("-broadcast/c-1", "command/" + original + "/copy");
        TestWaits.until("committed", () -> commandsCommitted() == 4);
    }

    @Test
    @DisplayName("is not copied twice, nor reported twice")
    void forEveryUserRepeated() {
        partition.installed("i-1");
        partition.serve();
        var original = forAll("c-1", "i-1");
        partition.result("c-1", 1);
        forAll("c-1", "i-1");
        bringBack(COPY);
        bringBack(REPORT);
        bringBack(REPORT);
        reportOfTheOther(original);
        partition.result("c-1", 2);
        reportOfTheOther(original);

        TestWaits.until("committed", () -> commandsCommitted() == 7);
        assertThat(partition.written(Topic.COMMANDS)).hasSize(REPORT);
        assertThat(partition.results("c-1")).hasSize(2);
    }

    @Test
    @DisplayName("of whom nobody has the installation fails as any other")
    void forNobody() {
        partition.serve();
        var original = forAll("c-1", "i-1");
        bringBack(COPY);
        bringBack(REPORT);
        reportOfTheOther(original);
        assertThat(error(partition.result("c-1", 2)).code()).isEqualTo("not_found");
    }

    /** The other partition's owner had nothing to do. */
    private void reportOfTheOther(RecordOrigin original) {
        var report = new BroadcastReport(BroadcastReport.EVENT, original, "c-1", 1, List.of());
        var headers = new RecordHeaders();
        headers.add(Headers.BROADCAST_REPORT, original.toString().getBytes(UTF_8));
        partition.command("t1/*", OwnedPartition.text(Json.write(report)), headers);
    }

    private RecordOrigin forAll(String id, String installation) {
        return partition.command(
                "t1/*",
                """
                {"id":"%s","command_type":"kill",
                 "payload":{"installation_id":"%s","team_id":"t1"}}"""
                        .formatted(id, installation),
                new RecordHeaders());
    }

    /** What owners wrote to the topic of commands is read there: the record of this number. */
    private void bringBack(int number) {
        TestWaits.until("written", () -> partition.written(Topic.COMMANDS).size() >= number);
        var record = partition.written(Topic.COMMANDS).get(number - 1);
        partition.command(
                OwnedPartition.text(record.key()),
                OwnedPartition.text(record.value()),
                record.headers());
    }

    private static CommandError error(CommandResult result) {
        return Objects.requireNonNull(result.error());
    }

    private static List<ScriptedOrder> orders(ScriptedSession session, String method) {
        return session.orders.stream().filter(order -> order.method.equals(method)).toList();
    }

    private List<ProducerRecord<byte[], byte[]>> written(String stateName) {
        return partition.written(Topic.STATE).stream()
                .filter(record -> OwnedPartition.text(record.key()).equals(stateName))
                .toList();
    }

    /** The offset of commands that the last transaction has committed; 0 for none. */
    private long commandsCommitted() {
        var partitionOfCommands = new TopicPartition("mcp.commands", 0);
        return partition.transactions.consumerGroupOffsetsHistory().stream()
                .flatMap(groups -> groups.values().stream())
                .mapToLong(
                        offsets ->
                                Objects.requireNonNull(offsets.get(partitionOfCommands)).offset())
                .max()
                .orElse(0);
    }
}
