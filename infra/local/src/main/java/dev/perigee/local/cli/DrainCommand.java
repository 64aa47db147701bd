package dev.perigee.local.cli;

import dev.perigee.client.BrokerUnreachableException;
import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.audit.AuditTarget;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets everything leave a worker, or takes that back. */
@Command(
        name = "drain",
        header = "Let every partition leave a worker, so that it can be stopped.",
        description = {
            "The gateways move its partitions to other workers, a few at a time, calls finishing"
                    + " first. The worker stays up and takes nothing new until it is restarted or"
                    + " the drain is undone. Asking again goes on where it is.",
            "",
            "Exits 0 when all have left, 1 when the time is over or there is no other worker: the"
                    + " drain then goes on, and what stays is named."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee drain worker-2",
            "  perigee drain worker-2 --timeout 5m && systemctl stop perigee-worker",
            "  perigee drain worker-2 --admin http://10.0.0.7:7071 \\",
            "      --token-file /run/admin-token",
            "  perigee drain worker-2 --undo"
        })
final class DrainCommand extends ClientCommand {
    @Parameters(
            index = "0",
            paramLabel = "WORKER",
            description = "The worker's id, or what only its id begins with.")
    private String worker = "";

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "60s",
            converter = DurationOption.class,
            description = "How long to wait for all to leave (default 60s).")
    private Duration timeout = Duration.ZERO;

    @Option(
            names = "--admin",
            paramLabel = "URL",
            description =
                    "The worker's admin pages, such as http://10.0.0.7:7071. Without it they are"
                            + " looked up in the worker's heartbeats.")
    private @Nullable URI admin;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            defaultValue = "${env:PERIGEE_ADMIN_TOKEN_FILE:-" + Option.NULL_VALUE + "}",
            description =
                    "File with the worker's admin.token (PERIGEE_ADMIN_TOKEN_FILE, or the token"
                            + " itself in PERIGEE_ADMIN_TOKEN).")
    private @Nullable Path tokenFile;

    @Option(names = "--undo", description = "Let the worker take sessions again.")
    private boolean undo;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the audit topic.")
    private @Nullable String reason;

    @Override
    public Integer call() throws InterruptedException {
        if (timeout.isZero()) {
            throw CliException.usage("--timeout must be longer than 0");
        }
        var token = AdminToken.of(tokenFile, System.getenv("PERIGEE_ADMIN_TOKEN"));
        var found = admin == null ? lookUp() : new WorkerLookup.Found(worker, admin);
        try (var pages = WorkerAdmin.at(found.workerId(), found.admin(), token)) {
            note(found.workerId());
            var report = new DrainReport(found.workerId(), output(), this::warn);
            if (undo) {
                return report.undone(pages.undo());
            }
            return report.follow(pages, timeout);
        }
    }

    /** Where the worker is named by its address, Kafka may be away: it is drained all the same. */
    private void note(String workerId) throws InterruptedException {
        var action = undo ? AuditAction.UNDO_DRAIN : AuditAction.DRAIN;
        try {
            new AuditNotes(connection(), action, reason).write(AuditTarget.worker(workerId));
        } catch (BrokerUnreachableException e) {
            if (admin == null) {
                throw e;
            }
            warn("This is not on the audit topic: no broker answers.");
        }
    }

    private WorkerLookup.Found lookUp() {
        try (var _ = waiting("Looking for the worker in the heartbeats")) {
            return WorkerLookup.find(worker, connection());
        }
    }
}
