package dev.perigee.gateway.partition;

import dev.perigee.gateway.partition.GatewayMetrics.Where;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.KafkaException;

/**
 * Finds the servers that requests are for. A request for one that is not known yet waits, bounded,
 * until the commands that were in the topic when it came are taken: one of them may bring it. For
 * the owner's thread; where commands end is asked on a thread of its own.
 */
final class ServerWait {
    /** Whether commands were taken up to an offset. */
    interface CommandsTaken {
        boolean upTo(long offset);
    }

    private final PartitionContext context;
    private final CommandsTaken commands;
    private final CallListener listener;
    private final Set<ToolCall> waiting = new LinkedHashSet<>();

    ServerWait(PartitionContext context, CommandsTaken commands, CallListener listener) {
        this.context = context;
        this.commands = commands;
        this.listener = listener;
    }

    /** What is wanted of instances may have changed, or commands were taken. */
    void lookAgain() {
        List.copyOf(waiting).forEach(this::find);
    }

    /** Finds the server, now or later. */
    void find(ToolCall call) {
        var path = call.read().path();
        if (path == null) {
            call.resolve(null);
            listener.happened(call, CallEvent.FOUND);
            return;
        }
        switch (ServerLookup.find(call.read().request(), path, context.state())) {
            case ServerLookup.One(var processId) -> {
                remove(call);
                call.resolve(processId);
                listener.happened(call, CallEvent.FOUND);
            }
            case ServerLookup.Several() -> listener.refused(call, OwnAnswer.SEVERAL_SERVERS);
            case ServerLookup.None() -> {
                if (!waiting.contains(call)) {
                    add(call);
                } else if (commands.upTo(call.commandsEnd())) {
                    listener.refused(call, OwnAnswer.UNKNOWN_SERVER);
                }
            }
        }
    }

    void remove(ToolCall call) {
        if (waiting.remove(call)) {
            call.timer(null);
        }
    }

    private void add(ToolCall call) {
        waiting.add(call);
        var times = context.services().times();
        Instant bound = context.services().clock().instant().plus(times.unknownServer());
        var deadline = call.sendBy().minus(Duration.ofMillis(50));
        call.timer(
                context.timers()
                        .at(
                                bound.isBefore(deadline) ? bound : deadline,
                                () -> listener.refused(call, OwnAnswer.UNKNOWN_SERVER)));
        Thread.ofVirtual().name("commands-end").start(() -> askEnd(call));
    }

    private void askEnd(ToolCall call) {
        try {
            long end = context.services().offsets().end(Topic.COMMANDS, context.partition());
            context.mailbox()
                    .post(
                            () -> {
                                call.commandsEnd(end);
                                lookAgain();
                            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (KafkaException e) {
            context.services().metrics().failure(Where.COMMANDS_END);
        }
    }
}
