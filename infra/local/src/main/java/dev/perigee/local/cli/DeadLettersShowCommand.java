package dev.perigee.local.cli;

import dev.perigee.gateway.deadletter.Letter;
import dev.perigee.gateway.deadletter.LetterFilter;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows dead letters whole. */
@Command(
        name = "show",
        header = "Show dead letters with their headers and values.",
        description =
                "What may be a secret is shown as ***. A value that is no JSON is only shown with"
                        + " --unmask. Exits 1 when there is no such letter.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee dead-letters show 3@17",
            "  perigee dead-letters show mcp.commands-3@41  # by its origin",
            "  perigee dead-letters show 3@17 --unmask --output json"
        })
final class DeadLettersShowCommand extends ClientCommand {
    @Parameters(
            arity = "1..*",
            paramLabel = "P@O",
            description = "Partition and offset on dead-letters, or TOPIC-P@O of its origin.")
    private List<String> places = List.of();

    @Option(names = "--unmask", description = "Show everything, secrets too.")
    private boolean unmask;

    @Override
    public Integer call() throws InterruptedException {
        var output = output();
        var box = new ClientLetters(connection()).box();
        List<Letter> letters;
        try (var _ = waiting("Reading the dead letters")) {
            letters = box.letters(LetterFilter.at(Set.copyOf(places)));
        }
        var view = new LetterView(output, unmask);
        for (var letter : letters) {
            box.read(List.of(letter.position()), null, record -> view.show(letter, record));
        }
        if (letters.isEmpty()) {
            warn(
                    "There is no such dead letter; 'perigee dead-letters list' shows those there are.");
            return ExitCode.FAILED;
        }
        return ExitCode.OK;
    }
}
