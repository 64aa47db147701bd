package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.LogRateLimitExceeded;
import dev.perigee.protocol.event.EventBody.Logs;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what servers wrote to their logs. */
@Command(
        name = "logs",
        header = "Show what servers wrote to their logs.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee logs --since 10m --team t1",
            "  perigee logs -f --installation abc123"
        })
final class LogsCommand extends ClientCommand {
    private static final Duration POLL = Duration.ofMillis(500);

    @Mixin private OwnerFilter owner = new OwnerFilter();

    @Mixin private InstanceFilter filter = new InstanceFilter();

    private Predicate<EventOrigin> selected = _ -> true;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with new lines, until interrupted.")
    private boolean follow;

    @Option(
            names = "--since",
            paramLabel = "DURATION",
            converter = DurationOption.class,
            description = "How far to look back (default: all, with -f nothing).")
    private @Nullable Duration since;

    @Override
    public Integer call() {
        var output = output();
        try (var _ = waiting("Reading the statuses")) {
            selected = filter.now(connection());
        }
        try (var progress = waiting("Reading the logs");
                var tail = TopicTail.open(connection(), start(), Topic.LOGS)) {
            while (!tail.hasCaughtUp()) {
                tail.poll(POLL).stream()
                        .sorted(Comparator.comparingLong(ConsumerRecord::timestamp))
                        .forEach(record -> print(record.value(), output));
            }
            progress.came();
            if (follow) {
                new Following(tail, record -> print(record.value(), output), this::warn).run();
            }
        }
        return ExitCode.OK;
    }

    private boolean accepts(EventOrigin origin) {
        return owner.accepts(origin) && selected.test(origin);
    }

    private TopicTail.Start start() {
        if (since != null) {
            return new TopicTail.Start.Since(Instant.now().minus(since));
        }
        return follow ? new TopicTail.Start.End() : new TopicTail.Start.Beginning();
    }

    private void print(byte @Nullable [] value, Output output) {
        if (value == null) {
            return;
        }
        try {
            var event = Event.read(value);
            if (!accepts(event.origin())) {
                return;
            }
            if (output.isJson()) {
                output.raw(value);
            } else if (event.body() instanceof Logs logs) {
                for (var line : logs.logs()) {
                    output.line(
                            String.format(
                                    "%s  %s  %-5s %s",
                                    line.timestamp(),
                                    event.origin().processId(),
                                    line.level(),
                                    line.message()));
                }
            } else if (event.body() instanceof LogRateLimitExceeded exceeded) {
                output.line(
                        event.origin().timestamp()
                                + "  "
                                + event.origin().processId()
                                + "  warn  "
                                + exceeded.droppedLines()
                                + " lines dropped, more than "
                                + exceeded.limitPerSecond()
                                + " a second");
            }
        } catch (InvalidRecordException ignored) {
            // Written by something newer or foreign: not ours to show.
        }
    }
}
