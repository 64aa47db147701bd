package dev.perigee.local.cli;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.part.CliException;
import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.topic.RecordKey;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes an installation completely. */
@Command(
        name = "delete",
        header = "Remove an installation, or selected instances, completely.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee delete --team t1 --user u1 abc123",
            "  perigee delete --team t1 abc123  # for every user",
            "  perigee delete --team t1 --server everything --dry-run",
            "  perigee delete --team t1 --server everything --yes --at-most 5"
        })
final class DeleteCommand extends SendingCommand {
    @Mixin private TargetOptions target = new TargetOptions();

    @Option(
            names = "--yes",
            description =
                    "Remove what the selectors find, with --at-most. Look at it with --dry-run"
                            + " first.")
    private boolean agreed;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the audit topic.")
    private @Nullable String reason;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description =
                    "Number of partitions with which the fleet began, where some were added since:"
                            + " its gateways name it in /health/ready (default: as the topic has).")
    private @Nullable Integer partitions;

    @Override
    AuditNotes notes() {
        return new AuditNotes(connection(), AuditAction.DELETE, reason);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (partitions != null && partitions < 1) {
            throw CliException.usage("--partitions must be at least 1");
        }
        var named = target.named();
        if (named != null) {
            return send(
                    List.of(delete(named.team(), named.user(), named.installation())), _ -> true);
        }
        if (!(agreed && target.isBounded()) && !target.isDryRun()) {
            throw CliException.usage(
                    "Selectors may find more than is meant: look with --dry-run, then give --yes and"
                            + " --at-most N");
        }
        return sendPaced(target, this::delete, _ -> true);
    }

    private Addressed delete(Event status) {
        var origin = status.origin();
        return delete(origin.teamId(), origin.userId(), origin.installationId());
    }

    private Addressed delete(String team, @Nullable String user, String installation) {
        var payload =
                CommandPayload.about("mcp_installation_deleted", installation, team, user, null);
        var command = commands(false).command(CommandType.CONFIGURE, payload);
        return new Addressed(new RecordKey(team, user), command, partitions);
    }
}
