package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.Addressee.CommandAuthor;
import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.partition.CommandPlan.Answer;
import dev.perigee.gateway.partition.CommandPlan.Step;
import dev.perigee.gateway.partition.StateRecord.Broadcast;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Records on {@code command-results}. */
final class CommandRecords {
    private final PartitionContext context;

    CommandRecords(PartitionContext context) {
        this.context = context;
    }

    ProducerRecord<byte[], byte[]> acknowledged(CommandRead read, List<Step> steps) {
        var processId = steps.size() == 1 ? steps.getFirst().processId() : null;
        return ended(read, processId, new Answer(CommandOutcome.ACKNOWLEDGED, null, null));
    }

    ProducerRecord<byte[], byte[]> ended(
            CommandRead read, @Nullable String processId, Answer answer) {
        return record(
                read.origin(),
                read.command().id(),
                read.command().correlationId(),
                processId,
                answer,
                read.traceparent());
    }

    ProducerRecord<byte[], byte[]> ended(Broadcast broadcast, Answer answer) {
        return record(
                broadcast.origin(),
                broadcast.command().id(),
                broadcast.command().correlationId(),
                null,
                answer,
                broadcast.traceparent());
    }

    ProducerRecord<byte[], byte[]> rejected(
            Rejected rejected, CommandAuthor author, Answer answer) {
        return record(
                rejected.origin(),
                author.commandId(),
                author.correlationId(),
                null,
                answer,
                rejected.traceparent());
    }

    private ProducerRecord<byte[], byte[]> record(
            RecordOrigin origin,
            String commandId,
            @Nullable String correlationId,
            @Nullable String processId,
            Answer answer,
            @Nullable String traceparent) {
        var services = context.services();
        return services.records()
                .commandResult(
                        origin,
                        new CommandResult(
                                CommandResult.EVENT,
                                commandId,
                                correlationId,
                                answer.outcome(),
                                processId,
                                answer.details(),
                                answer.error(),
                                services.clock().instant()),
                        traceparent);
    }
}
