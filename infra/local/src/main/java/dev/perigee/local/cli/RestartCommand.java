package dev.perigee.local.cli;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.topic.RecordKey;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Restarts an installation with a fresh crash budget. */
@Command(
        name = "restart",
        header = "Restart an installation, or selected instances, with a fresh crash budget.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee restart --team t1 --user u1 abc123",
            "  perigee restart --team t1 abc123 --reason 'new network'",
            "  perigee restart --server everything --status permanently_failed --dry-run",
            "  perigee restart --team t1 --server everything --rate 5"
        })
final class RestartCommand extends SendingCommand {
    @Mixin private TargetOptions target = new TargetOptions();

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the events.")
    private @Nullable String reason;

    @Override
    public Integer call() throws InterruptedException {
        var named = target.named();
        return named == null
                ? sendPaced(target, this::restart, RestartCommand::isOnline)
                : send(
                        List.of(restart(named.team(), named.user(), named.installation())),
                        RestartCommand::isOnline);
    }

    private Addressed restart(Event status) {
        var origin = status.origin();
        return restart(origin.teamId(), origin.userId(), origin.installationId());
    }

    private Addressed restart(String team, @Nullable String user, String installation) {
        var payload = CommandPayload.about(null, installation, team, user, reason);
        var command = commands(false).command(CommandType.RESTART, payload);
        return new Addressed(new RecordKey(team, user), command);
    }

    private static boolean isOnline(CommandResult result) {
        return isOnline(result.result());
    }

    /** Of all instances, where it was for every user. */
    private static boolean isOnline(@Nullable CommandDetails details) {
        return details == null
                || ((details.resultingStatus() == null
                                || details.resultingStatus() == ServerStatus.ONLINE)
                        && (details.instances() == null
                                || details.instances().stream()
                                        .allMatch(instance -> isOnline(instance.result()))));
    }
}
