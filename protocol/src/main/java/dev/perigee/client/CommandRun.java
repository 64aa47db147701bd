package dev.perigee.client;

import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * One run of commands, from their sending to the terminal result of each. For one thread, which
 * {@link #run} blocks and which calls the listener. Holds the results of the run: the caller bounds
 * their number.
 *
 * <p>Statuses and results come by different topics. A terminal result that names a status is held
 * back for a moment until that status was delivered, so that a listener sees them in their true
 * order.
 */
public final class CommandRun {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration SETTLING = Duration.ofSeconds(1);

    /**
     * A command and its record's key.
     *
     * @param key the record's key, which decides its partition
     * @param command the record's value
     * @param partitions the count by which it does; null for as many as the topic has
     */
    public record Addressed(RecordKey key, Command command, @Nullable Integer partitions) {
        /** A command whose partition follows from the topic's own count. */
        public Addressed(RecordKey key, Command command) {
            this(key, command, null);
        }

        /**
         * A command under the key of the team and user that it names.
         *
         * @throws dev.perigee.protocol.json.InvalidRecordException when it names no team
         */
        public Addressed(Command command) {
            this(command.key(), command);
        }
    }

    /**
     * Listener to a run. Called on the thread of {@link #run}, in the order of each topic
     * partition; what it throws ends the run.
     */
    public interface Listener {
        /** A status change that the run is interested in, of whatever command or none. */
        void status(Event status);

        /** An acknowledgement, or the terminal result, of one of the run's commands. */
        void result(CommandResult result);
    }

    private record Settling(CommandResult result, Instant until) {}

    private final KafkaConnection connection;
    private final Predicate<Event> interesting;
    private final Listener listener;
    private final Set<String> open = new HashSet<>();
    private final List<Settling> settling = new ArrayList<>();
    private final Map<String, ServerStatus> statuses = new HashMap<>();
    private final Map<String, CommandResult> results = new HashMap<>();

    /**
     * A run; it is used once.
     *
     * @param interesting which status changes the listener gets
     */
    public CommandRun(KafkaConnection connection, Predicate<Event> interesting, Listener listener) {
        this.connection = connection;
        this.interesting = interesting;
        this.listener = listener;
    }

    /**
     * Runs to the last terminal result or to the deadline.
     *
     * @param deadline from now, for all commands together; opening and sending may take {@link
     *     KafkaConnection#PATIENCE} each more
     * @return the terminal results by command id; a command without one is missing
     * @throws BrokerUnreachableException when no broker answers, also at the deadline
     * @throws MissingTopicException when a topic it needs is not there
     * @throws KafkaRefusedException when a broker refuses
     */
    public Map<String, CommandResult> run(List<Addressed> commands, Duration deadline)
            throws InterruptedException {
        var end = Instant.now().plus(deadline);
        commands.forEach(command -> open.add(command.command().id()));
        try (var tail =
                        TopicTail.open(
                                connection,
                                new TopicTail.Start.End(),
                                Topic.COMMAND_RESULTS,
                                Topic.STATUS);
                var sender = new RecordSender(connection)) {
            tail.require(Topic.COMMANDS);
            for (var command : commands) {
                sender.send(command);
            }
            while (!(open.isEmpty() && settling.isEmpty()) && Instant.now().isBefore(end)) {
                for (var record : tail.poll(settling.isEmpty() ? POLL : POLL.dividedBy(10))) {
                    take(record);
                }
                tellSettled(Instant.now());
            }
            if (!open.isEmpty()) {
                tail.check();
            }
        }
        tellSettled(Instant.MAX);
        return Map.copyOf(results);
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        var value = record.value();
        if (value == null) {
            return;
        }
        try {
            if (record.topic().equals(connection.name(Topic.STATUS))) {
                takeStatus(Event.read(value));
            } else {
                takeResult(Json.read(value, CommandResult.class));
            }
        } catch (InvalidRecordException ignored) {
            // Written by a newer version or another program: skipped.
        }
    }

    private void takeStatus(Event event) {
        if (event.body() instanceof StatusChanged changed && interesting.test(event)) {
            statuses.put(event.origin().processId(), changed.status());
            listener.status(event);
        }
    }

    private void takeResult(CommandResult result) {
        if (result.outcome() == CommandOutcome.ACKNOWLEDGED && open.contains(result.commandId())) {
            listener.result(result);
        } else if (open.remove(result.commandId())) {
            settling.add(new Settling(result, Instant.now().plus(SETTLING)));
        }
    }

    private void tellSettled(Instant now) {
        for (var each : List.copyOf(settling)) {
            if (!each.until().isAfter(now) || isTold(each.result())) {
                settling.remove(each);
                results.put(each.result().commandId(), each.result());
                listener.result(each.result());
            }
        }
    }

    private boolean isTold(CommandResult result) {
        var details = result.result();
        var status = details == null ? null : details.resultingStatus();
        return status == null
                || result.processId() == null
                || statuses.get(result.processId()) == status;
    }
}
