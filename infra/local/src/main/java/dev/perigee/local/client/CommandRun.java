package dev.perigee.local.client;

import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Sends commands and follows what becomes of them, until each has its terminal result. */
public final class CommandRun {
    private static final Duration POLL = Duration.ofMillis(500);

    /** A command and where it goes. */
    public record Addressed(RecordKey key, Command command) {}

    /** Is told what happens, in the order of each topic partition. */
    public interface Listener {
        void status(Event status);

        void result(CommandResult result);
    }

    private final KafkaConnection connection;
    private final Predicate<Event> interesting;
    private final Listener listener;

    /**
     * A run.
     *
     * @param interesting which status changes to tell the listener
     */
    public CommandRun(KafkaConnection connection, Predicate<Event> interesting, Listener listener) {
        this.connection = connection;
        this.interesting = interesting;
        this.listener = listener;
    }

    /**
     * Runs to the last terminal result or to the deadline.
     *
     * @return the terminal results by command id, in the order of the commands; a command without
     *     one is missing
     */
    public Map<String, CommandResult> run(List<Addressed> commands, Duration deadline)
            throws InterruptedException {
        var end = Instant.now().plus(deadline);
        var open = new LinkedHashMap<String, Addressed>();
        commands.forEach(command -> open.put(command.command().id(), command));
        var results = new LinkedHashMap<String, CommandResult>();
        try (var tail =
                        TopicTail.open(
                                connection,
                                new TopicTail.Start.End(),
                                Topic.COMMAND_RESULTS,
                                Topic.STATUS);
                var sender = new RecordSender(connection)) {
            for (var command : commands) {
                sender.send(Topic.COMMANDS, command.key(), command.command());
            }
            while (!open.isEmpty() && Instant.now().isBefore(end)) {
                var records = tail.poll(POLL);
                records.forEach(this::tellStatus);
                for (var record : records) {
                    var result = resultIn(record);
                    if (result == null || !open.containsKey(result.commandId())) {
                        continue;
                    }
                    listener.result(result);
                    if (result.outcome() != CommandOutcome.ACKNOWLEDGED) {
                        open.remove(result.commandId());
                        results.put(result.commandId(), result);
                    }
                }
            }
        }
        return results;
    }

    private void tellStatus(ConsumerRecord<byte[], byte[]> record) {
        var value = record.value();
        if (value == null || !record.topic().equals(connection.name(Topic.STATUS))) {
            return;
        }
        try {
            var status = Event.read(value);
            if (interesting.test(status)) {
                listener.status(status);
            }
        } catch (InvalidRecordException ignored) {
            // Written by something newer or foreign: not ours to judge.
        }
    }

    private @Nullable CommandResult resultIn(ConsumerRecord<byte[], byte[]> record) {
        var value = record.value();
        if (value == null || !record.topic().equals(connection.name(Topic.COMMAND_RESULTS))) {
            return null;
        }
        try {
            return Json.read(value, CommandResult.class);
        } catch (InvalidRecordException ignored) {
            return null;
        }
    }
}
