package dev.perigee.local.cli;

import dev.perigee.gateway.deadletter.Letter;
import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists dead letters. */
@Command(
        name = "list",
        header = "List dead letters, the newest last.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee dead-letters list --since 1h",
            "  perigee dead-letters list --open --origin commands --output json"
        })
final class DeadLettersListCommand extends ClientCommand {
    @Mixin private LetterOptions options = new LetterOptions();

    @Option(names = "--open", description = "Only those that were not put back.")
    private boolean open;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "At most the newest N (default 100).")
    private int limit;

    @Override
    public Integer call() {
        if (limit < 1) {
            throw CliException.usage("--limit must be at least 1");
        }
        var connection = connection();
        List<Letter> letters;
        try (var _ = waiting("Reading the dead letters")) {
            letters =
                    new ClientLetters(connection)
                            .box().letters(options.filter(connection)).stream()
                                    .filter(letter -> !open || letter.redrivenTo() == null)
                                    .toList();
        }
        var output = output();
        var shown = letters.subList(Math.max(0, letters.size() - limit), letters.size());
        if (output.isJson()) {
            shown.forEach(letter -> output.json(LetterLines.json(letter)));
            return ExitCode.OK;
        }
        if (shown.isEmpty()) {
            warn("There is no such dead letter.");
            return ExitCode.OK;
        }
        output.table(
                List.of("LETTER", "TIME", "KEY", "ORIGIN", "REDRIVEN TO", "REASON", "DETAIL"),
                shown.stream().map(DeadLettersListCommand::row).toList());
        if (shown.size() < letters.size()) {
            warn(letters.size() - shown.size() + " older ones are not shown, see --limit.");
        }
        return ExitCode.OK;
    }

    private static List<String> row(Letter letter) {
        var redrivenTo = letter.redrivenTo();
        return List.of(
                letter.place(),
                LetterLines.time(letter),
                LetterLines.key(letter),
                letter.origin(),
                redrivenTo == null ? "-" : redrivenTo,
                letter.reason(),
                letter.detail());
    }
}
