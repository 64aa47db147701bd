package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.partition.StateRecord.Remembered;
import dev.perigee.protocol.command.CommandOutcome;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Which commands came to this partition before, so that none runs twice. A copy of a command for
 * every user is remembered apart from its original, which one partition has both of. For the
 * owner's thread.
 */
final class CommandMemory {
    private static final String COPY = "/copy"; // No id contains a slash.

    private final PartitionContext context;

    CommandMemory(PartitionContext context) {
        this.context = context;
    }

    /** What a command is remembered by. */
    static String nameOf(CommandRead read) {
        var id = read.command().id();
        return read.copyOf() == null ? id : id + COPY;
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
