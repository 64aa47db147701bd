package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.partition.StateRecord.Remembered;
import dev.perigee.protocol.command.CommandOutcome;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Ids of the commands of one partition, so that none runs twice. A copy of a command for every user
 * is remembered by the place of its original: whether that came before was decided there, and each
 * original that was copied waits for a report of every copy. For the owner's thread.
 */
final class CommandMemory {
    private static final String COPY = "/copy"; // No id contains a slash.

    private final PartitionContext context;

    CommandMemory(PartitionContext context) {
        this.context = context;
    }

    /** What a command is remembered by. */
    static String nameOf(CommandRead read) {
        var copyOf = read.copyOf();
        return copyOf == null ? read.command().id() : copyOf.record() + COPY;
    }

    /** What is known of it, null when it never came. */
    @Nullable Remembered of(CommandRead read) {
        return context.state().command(nameOf(read));
    }

    /** Remembers how far it came: the record that says so. */
    ProducerRecord<byte[], byte[]> keep(CommandRead read, @Nullable CommandOutcome outcome) {
        return keep(
                nameOf(read),
                new Remembered(read.origin(), outcome, context.services().clock().instant()));
    }

    /** The same, by the name it is remembered by. */
    ProducerRecord<byte[], byte[]> keep(String name, Remembered remembered) {
        context.state().remember(name, remembered);
        return context.stateTopic().command(name, remembered);
    }
}
