package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.topic.Topic;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
            "  perigee status --server everything --status error --status offline",
            "  perigee status --output json"
        })
final class StatusCommand extends ClientCommand {
    /** Of {@link #row}. */
    static final List<String> COLUMNS =
            List.of("PROCESS", "TEAM", "USER", "VERSION", "STATUS", "SINCE", "WORKER", "MESSAGE");

    @Mixin private OwnerFilter owner = new OwnerFilter();

    @Mixin private InstanceFilter filter = new InstanceFilter();

    @Option(
            names = {"-w", "--watch"},
            description = "Go on with every change, until interrupted.")
    private boolean watch;

    @Override
    public Integer call() {
        filter.check();
        var output = output();
        try (var progress = waiting("Reading the statuses");
                var tail =
                        TopicTail.open(
                                connection(), new TopicTail.Start.Beginning(), Topic.STATUS)) {
            print(InstanceFilter.current(tail, this::accepts), output);
            progress.came();
            if (watch) {
                new Following(tail, record -> change(record, output), this::warn).run();
            }
        }
        return ExitCode.OK;
    }

    private boolean accepts(Event event) {
        return owner.accepts(event.origin()) && filter.accepts(event);
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
        output.table(COLUMNS, statuses.values().stream().map(StatusCommand::row).toList());
    }

    /** An instance by its last status. */
    static List<String> row(Event event) {
        var changed = (StatusChanged) event.body();
        var origin = event.origin();
        return List.of(
                origin.processId(),
                origin.teamId(),
                origin.userId(),
                changed.serverVersion() == null ? "-" : changed.serverVersion(),
                changed.status().wireName(),
                origin.timestamp().toString(),
                origin.workerId(),
                changed.statusMessage() == null ? "" : changed.statusMessage());
    }

    private void change(ConsumerRecord<byte[], byte[]> record, Output output) {
        var event = InstanceFilter.statusOf(record);
        if (event != null && accepts(event)) {
            new CommandReport(output).status(event);
        } else if (record.value() == null && !output.isJson()) {
            output.line(InstanceFilter.keyOf(record) + "  removed");
        }
    }
}
