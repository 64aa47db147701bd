package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.Usage;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what servers used: calls, processor time, memory, time awake. */
@Command(
        name = "usage",
        header = "Show what servers used: calls, processor time, memory, time awake.",
        description =
                "Sums of the records of the topic usage, each once. CPU S are seconds of processor"
                        + " time, MEM GIB H gibibytes of memory times hours.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee usage",
            "  perigee usage --since 1h --by team",
            "  perigee usage --team t1 --output json"
        })
final class UsageCommand extends ClientCommand {
    private static final Duration POLL = Duration.ofMillis(500);

    @Mixin private OwnerFilter owner = new OwnerFilter();

    @Option(
            names = "--since",
            paramLabel = "DURATION",
            converter = DurationOption.class,
            defaultValue = "24h",
            description =
                    "How far to look back (default 24h). A record that began before, of a minute or, after"
                            + " an outage, of more, counts as a whole.")
    private Duration since = Duration.ofHours(24);

    @Option(
            names = "--by",
            paramLabel = "team|user|server",
            defaultValue = "server",
            description = "What is summed up in one row (default: server, of each user).")
    private UsageReport.Grouping by = UsageReport.Grouping.SERVER;

    @Override
    public Integer call() {
        var output = output();
        var report = new UsageReport(by);
        var begin = Instant.now().minus(since);
        try (var progress = waiting("Reading the usage");
                var tail =
                        TopicTail.open(
                                connection(), new TopicTail.Start.Since(begin), Topic.USAGE)) {
            while (!tail.hasCaughtUp()) {
                tail.poll(POLL).forEach(record -> add(record, begin, report));
            }
            progress.came();
        }
        if (output.isJson()) {
            report.rows().forEach(output::json);
        } else if (report.rows().isEmpty()) {
            warn("Nothing was used since " + begin + ", as far as the topic says.");
        } else {
            output.table(report.headers(), report.cells());
        }
        return ExitCode.OK;
    }

    /** Of a minute that began before, all counts: it cannot be split. */
    private void add(ConsumerRecord<byte[], byte[]> record, Instant begin, UsageReport report) {
        if (record.value() == null) {
            return;
        }
        try {
            var event = Event.read(record.value());
            if (event.body() instanceof Usage usage
                    && owner.accepts(event.origin())
                    && usage.to().isAfter(begin)) {
                report.add(idOf(record), event.origin(), usage);
            }
        } catch (InvalidRecordException e) {
            // Written by something newer or foreign: not ours to show.
        }
    }

    private static @Nullable String idOf(ConsumerRecord<byte[], byte[]> record) {
        var header = record.headers().lastHeader(Headers.CE_ID);
        return header == null || header.value() == null
                ? null
                : new String(header.value(), StandardCharsets.UTF_8);
    }
}
