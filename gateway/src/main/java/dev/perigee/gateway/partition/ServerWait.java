package dev.perigee.gateway.partition;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.KafkaException;

/**
 * Requests for servers that are not known yet. Each waits, bounded, until the commands that were in
 * the topic when it came are taken: one of them may bring the server. For the owner's thread; where
 * commands end is asked on a thread of its own.
 */
final class ServerWait {
    private final PartitionContext context;
    private final CallFlow.CommandsTaken commands;
    private final Set<ToolCall> waiting = new LinkedHashSet<>();

    ServerWait(PartitionContext context, CallFlow.CommandsTaken commands) {
        this.context = context;
        this.commands = commands;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    boolean contains(ToolCall call) {
        return waiting.contains(call);
    }

    List<ToolCall> calls() {
        return List.copyOf(waiting);
    }

    void remove(ToolCall call) {
        if (waiting.remove(call)) {
            call.timer(null);
        }
    }

    /** True when no command that came before the call is left. */
    boolean isOver(ToolCall call) {
        return waiting.contains(call) && commands.upTo(call.commandsEnd());
    }

    /**
     * Begins to wait.
     *
     * @param tooLong runs when the wait is over though commands are left
     * @param look runs when there is reason to look again
     */
    void add(ToolCall call, Runnable tooLong, Runnable look) {
        waiting.add(call);
        var times = context.services().times();
        Instant bound = context.services().clock().instant().plus(times.unknownServer());
        var deadline = call.read().deadline().minus(Duration.ofMillis(50));
        call.timer(context.timers().at(bound.isBefore(deadline) ? bound : deadline, tooLong));
        Thread.ofVirtual().name("commands-end").start(() -> askEnd(call, look));
    }

    private void askEnd(ToolCall call, Runnable look) {
        try {
            long end = context.services().offsets().end(context.partition());
            context.mailbox()
                    .post(
                            () -> {
                                call.commandsEnd(end);
                                look.run();
                            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (KafkaException e) {
            context.services().metrics().failure("commands-end");
        }
    }
}
