package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows who did what to the fleet, and why. */
@Command(
        name = "audit",
        header = "Show who did what to the fleet, by the console and this command line, and why.",
        description =
                "Records of the topic audit, the newest 10,000 of those that are asked for. Records"
                        + " of the command line have the name that the system has for its user.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee audit",
            "  perigee audit --since 7d --team t1 --actor alice",
            "  perigee audit --output json"
        })
final class AuditCommand extends ClientCommand {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final int MOST = 10_000;
    private static final List<String> HEADERS =
            List.of("TIME", "ACTOR", "ROLE", "VIA", "ACTION", "TARGET", "OUTCOME", "REASON");

    @Mixin private OwnerFilter owner = new OwnerFilter();

    @Option(
            names = "--since",
            paramLabel = "DURATION",
            converter = DurationOption.class,
            defaultValue = "24h",
            description = "How far to look back (default 24h).")
    private Duration since = Duration.ofHours(24);

    @Option(names = "--actor", paramLabel = "NAME", description = "Only what this one did.")
    private @Nullable String actor;

    @Override
    public Integer call() {
        var output = output();
        var begin = Instant.now().minus(since);
        var newest = new PriorityQueue<AuditRecord>(Comparator.comparing(AuditRecord::timestamp));
        try (var progress = waiting("Reading the audit topic");
                var tail =
                        TopicTail.open(
                                connection(), new TopicTail.Start.Since(begin), Topic.AUDIT)) {
            while (!tail.hasCaughtUp()) {
                for (var record : tail.poll(POLL)) {
                    var audit = read(record);
                    if (audit != null && accepts(audit)) {
                        newest.add(audit);
                        if (newest.size() > MOST) {
                            newest.remove();
                        }
                    }
                }
            }
            progress.came();
        }
        var records = new ArrayList<AuditRecord>();
        while (!newest.isEmpty()) {
            records.add(newest.remove());
        }
        if (output.isJson()) {
            records.forEach(output::json);
        } else if (records.isEmpty()) {
            warn("Nothing was done since " + begin + ", as far as the topic says.");
        } else {
            output.table(HEADERS, records.stream().map(AuditCommand::cells).toList());
        }
        return ExitCode.OK;
    }

    private static @Nullable AuditRecord read(ConsumerRecord<byte[], byte[]> record) {
        try {
            return record.value() == null ? null : Json.read(record.value(), AuditRecord.class);
        } catch (InvalidRecordException e) {
            return null; // Written by something newer or foreign: not ours to show.
        }
    }

    private boolean accepts(AuditRecord audit) {
        return (actor == null || actor.equals(audit.actor()))
                && owner.accepts(audit.teamId(), audit.userId(), audit.installationId());
    }

    private static List<String> cells(AuditRecord audit) {
        var role = audit.role();
        var target =
                Stream.of(
                                audit.teamId(),
                                audit.userId(),
                                audit.installationId(),
                                audit.toolName(),
                                audit.workerId(),
                                audit.selection())
                        .filter(Objects::nonNull)
                        .collect(Collectors.joining(" "));
        return List.of(
                audit.timestamp().toString(),
                audit.actor(),
                role == null ? "-" : role.wireName(),
                audit.via(),
                audit.action().wireName(),
                target,
                audit.error() == null
                        ? audit.outcome().name().toLowerCase(Locale.ROOT)
                        : "failed: " + audit.error(),
                audit.reason() == null ? "-" : audit.reason());
    }
}
