package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.gateway.deadletter.Draft;
import dev.perigee.gateway.deadletter.Drafter;
import dev.perigee.gateway.deadletter.Letter;
import dev.perigee.gateway.deadletter.LetterBox;
import dev.perigee.gateway.deadletter.Redrive.TakenOverException;
import dev.perigee.gateway.deadletter.Redriven;
import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Puts dead letters back where they came from. */
@Command(
        name = "redrive",
        header = "Put dead letters back where they came from, edited if need be.",
        description =
                "Each is put back once: a second run passes over what was put back, also after a"
                        + " kill. What would only become a dead letter again stays where it is."
                        + " Exits 1 when something was refused.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee redrive --reason misrouted --since 2h --dry-run",
            "  perigee redrive --offset 3@17 --set payload.config.command=node \\",
            "      --expires-in 5m",
            "  perigee redrive --key t1/u1 --edit patch.json",
            "  perigee redrive --all"
        })
final class RedriveCommand extends ClientCommand {
    private static final Pattern PLACE = Pattern.compile("(.+-)?\\d+@\\d+");

    @Mixin private LetterOptions options = new LetterOptions();
    @Mixin private EditOptions edits = new EditOptions();

    @Option(
            names = "--offset",
            paramLabel = "P@O",
            split = ",",
            description = "These: partition@offset on dead-letters, or TOPIC-P@O of the origin.")
    private List<String> offsets = List.of();

    @Option(names = "--all", description = "All there are.")
    private boolean all;

    @Option(names = "--again", description = "Also those that were put back before.")
    private boolean again;

    @Option(
            names = "--because",
            paramLabel = "TEXT",
            description = "Why, for the audit topic; --reason is the letters' own.")
    private @Nullable String because;

    @Option(names = "--dry-run", description = "Only say what would be done.")
    private boolean dryRun;

    @Override
    public Integer call() throws InterruptedException {
        if (options.isAny() && offsets.isEmpty() && !all) {
            throw CliException.usage(
                    "Say which: --reason, --key, --team, --user, --origin, --since, --until,"
                            + " --offset or --all");
        }
        for (var place : offsets) {
            if (!PLACE.matcher(place).matches()) {
                throw CliException.usage("--offset '" + place + "' is no P@O, such as 3@17");
            }
        }
        var changes = edits.changes();
        var connection = connection();
        var filter = options.filter(connection, Set.copyOf(offsets));
        var letterTopic = new ClientLetters(connection);
        var box = letterTopic.box();
        var drafter =
                new Drafter(connection.names(), partitions(), changes, InstantSource.system());
        if (dryRun) {
            var chosen = chosen(box.letters(filter));
            var report = new RedriveReport(output(), this::warn, chosen.size(), true);
            rehearse(chosen, box, drafter, report::tell);
            return report.end();
        }
        new AuditNotes(connection, AuditAction.REDRIVE, because)
                .write(options.target(offsets, all, again));
        try (var redrive = letterTopic.redrive()) {
            var chosen = chosen(box.letters(filter));
            var report = new RedriveReport(output(), this::warn, chosen.size(), false);
            redrive.run(chosen, box, null, drafter, report::tell);
            return report.end();
        } catch (KafkaException e) {
            throw connection.explained(e);
        } catch (TakenOverException e) {
            throw new CliException(
                    ExitCode.FAILED,
                    e.getMessage() + " What was put back is marked; run it again for the rest.");
        }
    }

    private int partitions() {
        try (var _ = waiting("Asking Kafka");
                var tail =
                        TopicTail.open(connection(), new TopicTail.Start.End(), Topic.COMMANDS)) {
            tail.require(Topic.TOOL_REQUESTS);
            return tail.partitions();
        }
    }

    private List<Letter> chosen(List<Letter> letters) {
        var open = letters.stream().filter(each -> again || each.redrivenTo() == null).toList();
        if (open.size() < letters.size()) {
            warn(
                    letters.size()
                            - open.size()
                            + " were put back before and are passed over; --again sends them again.");
        }
        if (open.isEmpty()) {
            warn("There is nothing to put back.");
        }
        return open;
    }

    private static void rehearse(
            List<Letter> chosen, LetterBox box, Drafter drafter, Consumer<Redriven> listener)
            throws InterruptedException {
        var letters = chosen.stream().collect(Collectors.toMap(Letter::position, letter -> letter));
        box.read(
                letters.keySet(),
                null,
                record -> {
                    var letter =
                            letters.get(
                                    new RecordOrigin(
                                            record.topic(), record.partition(), record.offset()));
                    if (letter != null) {
                        listener.accept(
                                switch (drafter.draft(record)) {
                                    case Draft.Ready(var back) ->
                                            new Redriven(
                                                    letter,
                                                    Redriven.WOULD,
                                                    back.topic() + "-" + back.partition(),
                                                    null);
                                    case Draft.Refused(var why) ->
                                            new Redriven(letter, Redriven.REFUSED, null, why);
                                });
                    }
                });
    }
}
