package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what happened to servers: starts, crashes, restarts, sleep, tools, statuses. */
@Command(
        name = "events",
        header = "Show what happened to servers: starts, crashes, sleep, tools, statuses.",
        description = "Of statuses that Kafka has compacted away only the last is left.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee events --since 1h --team t1",
            "  perigee events -f --kind crashed --kind restarted",
            "  perigee events -f --installation abc123 --output json",
            "  perigee events --since 1h --server everything --status error"
        })
final class EventsCommand extends ClientCommand {
    private static final Duration POLL = Duration.ofMillis(500);

    /** More are not kept: the first of them are left out, and that is said. */
    private static final int MOST = 20_000;

    private static final List<String> KINDS =
            Arrays.stream(EventType.values())
                    .filter(it -> it.topic() == Topic.LIFECYCLE || it.topic() == Topic.STATUS)
                    .map(it -> EventText.kind(it.wireName()))
                    .toList();

    @Mixin private OwnerFilter owner = new OwnerFilter();

    @Mixin private InstanceFilter filter = new InstanceFilter();

    private Predicate<EventOrigin> selected = _ -> true;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with new events, until interrupted.")
    private boolean follow;

    @Option(
            names = "--since",
            paramLabel = "DURATION",
            converter = DurationOption.class,
            description = "How far to look back (default: 1h, with -f nothing).")
    private @Nullable Duration since;

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description =
                    "Only these: status_changed, started, crashed, restarted, permanently_failed,"
                            + " dormant, respawned, exited, stopped, tools.updated. May be given"
                            + " several times.")
    private Set<String> kinds = Set.of();

    @Override
    public Integer call() {
        var unknown = kinds.stream().filter(kind -> !KINDS.contains(kind)).toList();
        if (!unknown.isEmpty()) {
            throw CliException.usage(
                    "--kind " + unknown.getFirst() + " is none of " + String.join(", ", KINDS));
        }
        var output = output();
        try (var _ = waiting("Reading the statuses")) {
            selected = filter.now(connection());
        }
        try (var progress = waiting("Reading the events");
                var tail = TopicTail.open(connection(), start(), Topic.LIFECYCLE, Topic.STATUS)) {
            var past = past(tail);
            progress.came();
            past.forEach(event -> print(event, output));
            if (follow) {
                new Following(tail, record -> show(record, output), this::warn).run();
            }
        }
        return ExitCode.OK;
    }

    /** By time over all partitions of both topics; of one instance by its own order. */
    private List<Event> past(TopicTail tail) {
        var newest =
                new PriorityQueue<Event>(
                        Comparator.comparing((Event event) -> event.origin().timestamp())
                                .thenComparingLong(event -> event.origin().seq()));
        boolean cut = false;
        while (!tail.hasCaughtUp()) {
            for (var record : tail.poll(POLL)) {
                var event = wanted(record);
                if (event != null) {
                    newest.add(event);
                }
                if (newest.size() > MOST) {
                    newest.remove();
                    cut = true;
                }
            }
        }
        if (cut) {
            warn(
                    "Only the last %d events are shown: narrow it by --since, --team or --kind"
                            .formatted(MOST));
        }
        var past = new ArrayList<Event>();
        while (!newest.isEmpty()) {
            past.add(newest.remove());
        }
        return past;
    }

    private boolean accepts(EventOrigin origin) {
        return owner.accepts(origin) && selected.test(origin);
    }

    private TopicTail.Start start() {
        if (since == null && follow) {
            return new TopicTail.Start.End();
        }
        var back = since == null ? Duration.ofHours(1) : since;
        return new TopicTail.Start.Since(Instant.now().minus(back));
    }

    private void show(ConsumerRecord<byte[], byte[]> record, Output output) {
        var event = wanted(record);
        if (event != null) {
            print(event, output);
        }
    }

    private @Nullable Event wanted(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return null;
        }
        try {
            var event = Event.read(record.value());
            boolean kind = kinds.isEmpty() || kinds.contains(EventText.kind(event));
            return kind && accepts(event.origin()) ? event : null;
        } catch (InvalidRecordException e) {
            // Written by something newer or foreign: not ours to show.
            return null;
        }
    }

    private static void print(Event event, Output output) {
        if (output.isJson()) {
            output.json(event);
            return;
        }
        output.line(
                "%s  %s  %-15s %s"
                        .formatted(
                                event.origin().timestamp(),
                                event.origin().processId(),
                                EventText.kind(event),
                                EventText.details(event)));
    }
}
