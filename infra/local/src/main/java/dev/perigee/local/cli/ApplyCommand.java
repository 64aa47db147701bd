package dev.perigee.local.cli;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.ServerStatus;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Installs or updates servers from files, or sends the commands that the files hold. */
@Command(
        name = "apply",
        header = "Install servers from files, or send the commands in them.",
        description =
                "A file holds server configurations or whole command records as JSON: one object, an"
                        + " array, or one object per line. Shows each status, exits 0 when every"
                        + " command completed and every configured server is online.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee apply infra/local/examples/everything.json",
            "  perigee apply --deadline 5m servers.jsonl",
            "  generate-config | perigee apply -"
        })
final class ApplyCommand extends SendingCommand {
    @Parameters(arity = "1..*", paramLabel = "FILE", description = "JSON files, - for stdin.")
    private List<String> files = List.of();

    @Option(
            names = "--keep-ids",
            description =
                    "Send command records with their own ids. A fleet runs one id only once, so"
                            + " without this they get new ones.")
    private boolean keepIds;

    @Override
    public Integer call() throws InterruptedException {
        var addressed = new ArrayList<Addressed>();
        for (var file : files) {
            addressed.addAll(CommandFile.read(file, commands(keepIds)));
        }
        return send(addressed, ApplyCommand::isOnlineIfItHasAStatus);
    }

    private static boolean isOnlineIfItHasAStatus(CommandResult result) {
        var details = result.result();
        return details == null
                || details.resultingStatus() == null
                || details.resultingStatus() == ServerStatus.ONLINE;
    }
}
