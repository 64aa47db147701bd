package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.BroadcastReport;
import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.CopyOf;
import dev.perigee.gateway.partition.CommandPlan.Answer;
import dev.perigee.gateway.partition.StateRecord.Broadcast;
import dev.perigee.gateway.partition.StateRecord.Remembered;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands for every user of a team, whose instances are on all partitions. For the owner's thread.
 *
 * <pre>
 *   original ──▶ a copy to each partition ──▶ orders, as of any command ──▶ a report ─┐
 *      ▲                                                                              │
 *      └── one result with all instances ◀── reports of all partitions ◀─────────────┘
 * </pre>
 *
 * Copies and reports go by the topic of commands itself, in transactions with the offset of what
 * they follow from: an owner that fails leaves either nothing or all of a step. A copy waits in its
 * partition until somebody owns it, so a command for every user is never half done for good.
 */
final class BroadcastFlow {
    private static final Logger LOG = LoggerFactory.getLogger(BroadcastFlow.class);

    private final PartitionContext context;
    private final CommandRecords records;
    private final CommandMemory memory;

    BroadcastFlow(PartitionContext context, CommandRecords records, CommandMemory memory) {
        this.context = context;
        this.records = records;
        this.memory = memory;
    }

    /** The copies of a command, and what else says that it was accepted. None the second time. */
    List<ProducerRecord<byte[], byte[]>> begin(CommandRead read) {
        if (context.state().broadcast(read.command().id()) != null) {
            return List.of();
        }
        int partitions = context.services().partitions();
        var broadcast =
                new Broadcast(
                        read.origin(),
                        read.command(),
                        read.traceparent(),
                        partitions,
                        new TreeMap<>());
        context.state().open(broadcast);
        var writes = new ArrayList<ProducerRecord<byte[], byte[]>>();
        writes.add(records.acknowledged(read, List.of()));
        writes.add(memory.keep(read, null));
        writes.add(context.stateTopic().broadcast(broadcast));
        byte[] value = Json.write(read.command());
        for (int partition = 0; partition < partitions; partition++) {
            writes.add(copy(read, partition, value));
        }
        LOG.atInfo()
                .addKeyValue("command_id", read.command().id())
                .addKeyValue("partitions", partitions)
                .log("Command for every user copied to all partitions");
        return writes;
    }

    private ProducerRecord<byte[], byte[]> copy(CommandRead read, int partition, byte[] value) {
        var record =
                new ProducerRecord<>(
                        context.services().names().of(Topic.COMMANDS),
                        partition,
                        bytes(read.key().toString()),
                        value);
        var headers = record.headers();
        headers.add(Headers.BROADCAST_OF, bytes(read.origin().toString()));
        headers.add(Headers.BROADCAST_AT, bytes(Long.toString(read.appendedAt().toEpochMilli())));
        if (read.traceparent() != null) {
            headers.add(Headers.TRACEPARENT, bytes(read.traceparent()));
        }
        return record;
    }

    /** Tells the original's owner what became of this partition's copy. */
    ProducerRecord<byte[], byte[]> report(CommandRead copy, CopyOf of, List<Outcome> outcomes) {
        var report =
                new BroadcastReport(
                        BroadcastReport.EVENT,
                        of.record(),
                        copy.command().id(),
                        context.partition(),
                        outcomes);
        var record =
                new ProducerRecord<>(
                        context.services().names().of(Topic.COMMANDS),
                        of.record().partition(),
                        bytes(new RecordKey(copy.key().teamId(), null).toString()),
                        Json.write(report));
        record.headers().add(Headers.BROADCAST_REPORT, bytes(of.record().toString()));
        return record;
    }

    /** A partition has reported: what is to be written of it. */
    List<ProducerRecord<byte[], byte[]>> reported(BroadcastReport report) {
        var open = context.state().broadcast(report.commandId());
        if (open == null || !open.origin().equals(report.of())) {
            return List.of();
        }
        var broadcast = open.with(report.partition(), report.outcomes());
        if (!broadcast.isComplete()) {
            context.state().open(broadcast);
            return List.of(context.stateTopic().broadcast(broadcast));
        }
        context.state().close(broadcast);
        return end(broadcast);
    }

    private List<ProducerRecord<byte[], byte[]>> end(Broadcast broadcast) {
        var command = broadcast.command();
        var outcomes = broadcast.reports().values().stream().flatMap(List::stream).toList();
        Answer answer =
                outcomes.isEmpty()
                        ? CommandPlanner.aboutNone(CommandAction.of(command))
                        : RunningCommand.ofAll(outcomes);
        var services = context.services();
        services.metrics().commandEnded(answer.outcome());
        LOG.atInfo()
                .addKeyValue("command_id", command.id())
                .addKeyValue("instances", outcomes.size())
                .addKeyValue("outcome", answer.outcome())
                .log("Command for every user ended");
        return List.of(
                records.ended(broadcast, answer),
                memory.keep(command.id(), remembered(broadcast, answer.outcome())),
                context.stateTopic().noBroadcast(command.id()));
    }

    private Remembered remembered(Broadcast broadcast, @Nullable CommandOutcome outcome) {
        return new Remembered(broadcast.origin(), outcome, context.services().clock().instant());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
