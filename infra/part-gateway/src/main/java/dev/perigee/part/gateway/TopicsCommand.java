package dev.perigee.part.gateway;

import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Creates the topics of the contract, or says exactly what differs. */
@Command(
        name = "topics",
        header = "Create the topics, or say exactly what differs.",
        description =
                "Creates what is missing, changes nothing that exists. Exits 1 when an existing"
                        + " topic differs from the contract.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee topics",
            "  perigee topics --partitions 64 --replicas 3 --bootstrap kafka:9092",
            "  perigee topics --check"
        })
public final class TopicsCommand extends ClientCommand {
    @Option(
            names = "--partitions",
            paramLabel = "N",
            description =
                    "Number of process partitions (default: as the existing topics have, else 64).")
    private @Nullable Integer partitions;

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description = "Replicas of new topics (default: what the broker has as its default).")
    private @Nullable Short replicas;

    @Option(names = "--check", description = "Create nothing, only compare.")
    private boolean check;

    @Override
    public Integer call() throws InterruptedException {
        if (partitions != null && partitions < 1) {
            throw CliException.usage("--partitions must be at least 1");
        }
        try (var _ = waiting("Asking Kafka");
                var setup = new TopicSetup(connection())) {
            var outcome = setup.apply(partitions, TopicPlan.DEFAULT_PARTITIONS, replicas, check);
            print(outcome, output());
            return outcome.differences().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
        }
    }

    private void print(TopicSetup.Outcome outcome, Output output) {
        if (output.isJson()) {
            output.json(outcome);
            return;
        }
        for (var topic : outcome.created()) {
            output.line("created " + topic);
        }
        if (outcome.differences().isEmpty()) {
            output.line(
                    "All topics are as they must be, with "
                            + outcome.partitions()
                            + " process partitions.");
            return;
        }
        output.table(
                List.of("TOPIC", "SETTING", "WANTED", "FOUND"),
                outcome.differences().stream()
                        .map(
                                difference ->
                                        List.of(
                                                difference.topic(),
                                                difference.setting(),
                                                difference.wanted(),
                                                difference.found()))
                        .toList());
        warn(advice(outcome.differences()));
    }

    private static String advice(List<TopicDifference> differences) {
        if (differences.stream().anyMatch(each -> each.setting().equals("partitions"))) {
            return "A partition count is never changed in place: take the one that is there, or"
                    + " other topics with --prefix. If partitions were added to a live fleet, see"
                    + " 'Partitions that were added' in docs/operations.md.";
        }
        return differences.stream().anyMatch(each -> each.found().equals("missing"))
                ? "Without --check the missing topics are created."
                : "Change the settings with kafka-configs --alter, or leave them if they were meant"
                        + " so; a gateway refuses only a wrong cleanup policy.";
    }
}
