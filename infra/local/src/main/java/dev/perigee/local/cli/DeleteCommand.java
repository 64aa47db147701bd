package dev.perigee.local.cli;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.topic.RecordKey;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

    @Override
    public Integer call() throws InterruptedException {
        var payload =
                CommandPayload.about(
                        "mcp_installation_deleted",
                        installation.installation(),
                        installation.team(),
                        installation.user(),
                        null);
        var command = commands(false).command(CommandType.CONFIGURE, payload);
        var key = new RecordKey(installation.team(), installation.user());
        return send(List.of(new Addressed(key, command)), result -> true);
    }
}
