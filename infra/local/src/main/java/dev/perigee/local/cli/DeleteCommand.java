package dev.perigee.local.cli;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.part.CliException;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.topic.RecordKey;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes an installation completely. */
@Command(
        name = "delete",
        header = "Remove an installation completely.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee delete --team t1 --user u1 abc123",
            "  perigee delete --team t1 abc123  # for every user"
        })
final class DeleteCommand extends SendingCommand {
    @Mixin private InstallationOptions installation = new InstallationOptions();

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description =
                    "Number of partitions with which the fleet began, where some were added since:"
                            + " its gateways name it in /health/ready (default: as the topic has).")
    private @Nullable Integer partitions;

    @Override
    public Integer call() throws InterruptedException {
        if (partitions != null && partitions < 1) {
            throw CliException.usage("--partitions must be at least 1");
        }
        var payload =
                CommandPayload.about(
                        "mcp_installation_deleted",
                        installation.installation(),
                        installation.team(),
                        installation.user(),
                        null);
        var command = commands(false).command(CommandType.CONFIGURE, payload);
        var key = new RecordKey(installation.team(), installation.user());
        return send(List.of(new Addressed(key, command, partitions)), result -> true);
    }
}
