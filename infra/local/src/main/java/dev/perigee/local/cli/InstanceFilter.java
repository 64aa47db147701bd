package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.TopicTail;
import dev.perigee.part.CliException;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options that select instances by what their last status says, besides those of their owner.
 * For one thread.
 */
final class InstanceFilter {
    private static final Duration POLL = Duration.ofMillis(500);

    @Option(names = "--server", paramLabel = "SLUG", description = "Only this server.")
    private @Nullable String server;

    @Option(
            names = "--server-version",
            paramLabel = "VERSION",
            description = "Only what runs, or failed to run, in this version of its server.")
    private @Nullable String serverVersion;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            description =
                    "Only what has this status now, such as error. May be given several times.")
    private Set<String> statuses = Set.of();

    @Option(names = "--worker", paramLabel = "ID", description = "Only what this worker runs.")
    private @Nullable String worker;

    /** Whether one of its options is given. */
    boolean isGiven() {
        return server != null || serverVersion != null || !statuses.isEmpty() || worker != null;
    }

    /**
     * Refuses a status that there is none of.
     *
     * @throws CliException when a status is none
     */
    void check() {
        var known = Arrays.stream(ServerStatus.values()).map(ServerStatus::wireName).toList();
        for (var status : statuses) {
            if (!known.contains(status)) {
                throw CliException.usage(
                        "--status %s is none of %s".formatted(status, String.join(", ", known)));
            }
        }
    }

    /** Whether a status, which is the last of its instance, is of a selected one. */
    boolean accepts(Event event) {
        return event.body() instanceof StatusChanged changed
                && isOrAny(server, event.origin().serverSlug())
                && isOrAny(worker, event.origin().workerId())
                && isOrAny(serverVersion, changed.serverVersion())
                && (statuses.isEmpty() || statuses.contains(changed.status().wireName()));
    }

    /**
     * Which events are of selected instances: of any where no option is given, else of those whose
     * last status is accepted now.
     */
    Predicate<EventOrigin> now(KafkaConnection connection) {
        check();
        if (!isGiven()) {
            return _ -> true;
        }
        var selected =
                current(connection, this::accepts).values().stream()
                        .map(event -> event.origin().processId())
                        .collect(Collectors.toUnmodifiableSet());
        return origin -> selected.contains(origin.processId());
    }

    /** The last status of each instance that is accepted, by process id. */
    static Map<String, Event> current(KafkaConnection connection, Predicate<Event> accepted) {
        try (var tail = TopicTail.open(connection, new TopicTail.Start.Beginning(), Topic.STATUS)) {
            return current(tail, accepted);
        }
    }

    /** The same, from a tail of statuses that was just opened. */
    static Map<String, Event> current(TopicTail tail, Predicate<Event> accepted) {
        var statuses = new TreeMap<String, Event>();
        while (!tail.hasCaughtUp()) {
            for (var record : tail.poll(POLL)) {
                var event = statusOf(record);
                if (event != null && accepted.test(event)) {
                    statuses.put(keyOf(record), event);
                } else {
                    statuses.remove(keyOf(record));
                }
            }
        }
        return statuses;
    }

    static String keyOf(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }

    /** Null for what is no status. */
    static @Nullable Event statusOf(ConsumerRecord<byte[], byte[]> record) {
        try {
            var event = record.value() == null ? null : Event.read(record.value());
            return event != null && event.body() instanceof StatusChanged ? event : null;
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    private static boolean isOrAny(@Nullable String wanted, @Nullable String found) {
        return wanted == null || wanted.equals(found);
    }
}
