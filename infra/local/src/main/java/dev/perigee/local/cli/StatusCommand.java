package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the status of every installation. */
@Command(
        name = "status",
        header = "Show the status of every installation.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee status",
            "  perigee status --watch --team t1",
            "  perigee status --output json"
        })
final class StatusCommand extends ClientCommand {
    private static final Duration POLL = Duration.ofMillis(500);

    @Mixin private OwnerFilter filter = new OwnerFilter();

    @Option(
            names = {"-w", "--watch"},
            description = "Go on with every change, until interrupted.")
    private boolean watch;

    @Override
    public Integer call() {
        var output = output();
        try (var progress = waiting("Reading the statuses");
                var tail =
                        TopicTail.open(
                                connection(), new TopicTail.Start.Beginning(), Topic.STATUS)) {
            print(current(tail), output);
            progress.came();
            if (watch) {
                new Following(tail, record -> change(record, output), this::warn).run();
            }
        }
        return ExitCode.OK;
    }

    private Map<String, Event> current(TopicTail tail) {
        var statuses = new TreeMap<String, Event>();
        while (!tail.hasCaughtUp()) {
            for (var record : tail.poll(POLL)) {
                var event = eventOf(record);
                if (event == null) {
                    statuses.remove(keyOf(record));
                } else if (filter.accepts(event.origin())) {
                    statuses.put(keyOf(record), event);
                }
            }
        }
        return statuses;
    }

    private void print(Map<String, Event> statuses, Output output) {
        if (output.isJson()) {
            statuses.values().forEach(output::json);
            return;
        }
        if (statuses.isEmpty()) {
            warn("There is no such installation; 'perigee apply FILE' installs one.");
            return;
        }
        output.table(
                List.of("PROCESS", "TEAM", "USER", "STATUS", "SINCE", "WORKER", "MESSAGE"),
                statuses.values().stream().map(StatusCommand::row).toList());
    }

    private static List<String> row(Event event) {
        var changed = (StatusChanged) event.body();
        var origin = event.origin();
        return List.of(
                origin.processId(),
                origin.teamId(),
                origin.userId(),
                changed.status().wireName(),
                origin.timestamp().toString(),
                origin.workerId(),
                changed.statusMessage() == null ? "" : changed.statusMessage());
    }

    private void change(ConsumerRecord<byte[], byte[]> record, Output output) {
        var event = eventOf(record);
        if (event != null && filter.accepts(event.origin())) {
            new CommandReport(output).status(event);
        } else if (record.value() == null && !output.isJson()) {
            output.line(keyOf(record) + "  removed");
        }
    }

    private static String keyOf(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }

    private static @Nullable Event eventOf(ConsumerRecord<byte[], byte[]> record) {
        try {
            var event = record.value() == null ? null : Event.read(record.value());
            return event != null && event.body() instanceof StatusChanged ? event : null;
        } catch (InvalidRecordException e) {
            return null;
        }
    }
}
