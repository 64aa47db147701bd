package dev.perigee.local.cli;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.topic.RecordKey;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** One action on an installation or on selected instances, recorded before it is done. */
abstract class ActionCommand extends SendingCommand {
    @Mixin private TargetOptions target = new TargetOptions();

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Why, for the events and the audit topic.")
    private @Nullable String reason;

    private final AuditAction action;

    ActionCommand(AuditAction action) {
        this.action = action;
    }

    @Override
    final @Nullable AuditNotes notes() {
        return new AuditNotes(connection(), action, reason);
    }

    @Override
    public Integer call() throws InterruptedException {
        var named = target.named();
        return named == null
                ? sendPaced(target, this::addressed, this::isFine)
                : send(
                        List.of(addressed(named.team(), named.user(), named.installation())),
                        this::isFine);
    }

    private Addressed addressed(Event status) {
        var origin = status.origin();
        return addressed(origin.teamId(), origin.userId(), origin.installationId());
    }

    private Addressed addressed(String team, @Nullable String user, String installation) {
        var payload = action.payload(installation, team, user, tool(), reason);
        var command = commands(false).command(String.valueOf(action.commandType()), payload);
        return new Addressed(new RecordKey(team, user), command);
    }

    private boolean isFine(CommandResult result) {
        return !action.starts() || isOnline(result.result());
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
