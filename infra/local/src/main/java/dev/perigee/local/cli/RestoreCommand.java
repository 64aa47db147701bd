package dev.perigee.local.cli;

import dev.perigee.local.backup.BackupException;
import dev.perigee.local.backup.Restore;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Printer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a backup into the topics of a fleet that does not run yet. */
@Command(
        name = "restore",
        header = "Write what 'perigee backup' kept into topics without records.",
        description = {
            "Before it writes anything it reads the whole file, and looks whether the topics are"
                    + " there, have as many partitions, have no records, and no gateway runs."
                    + " Everything becomes visible at once: interrupted, nothing is restored, and"
                    + " it is run again.",
            "",
            "Left out are claims, and commands that had not ended when the backup was made: send"
                    + " these again. Stop the fleet of before first, its workers too: otherwise"
                    + " its servers run twice.",
            "",
            "Exits 0 when it is done or could be, 1 when the topics are not as they must be, 64"
                    + " when the file is not whole."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee restore fleet.backup --bootstrap new-kafka:9092 --dry-run",
            "  perigee restore fleet.backup --bootstrap new-kafka:9092 --without-hosts"
        })
final class RestoreCommand extends ClientCommand {
    @Parameters(paramLabel = "FILE", description = "A file that 'perigee backup' wrote.")
    private Path file = Path.of("");

    @Option(
            names = "--dry-run",
            description = "Check everything and say what would be written; write nothing.")
    private boolean dryRun;

    @Option(
            names = "--overwrite",
            description =
                    "Write also where the topics have records. Keys that the file has are as in the"
                            + " file after that, others stay.")
    private boolean overwrite;

    @Option(
            names = "--without-hosts",
            description =
                    "Leave out which worker had each partition. For workers of other ids, when"
                            + " those of before have surely ended: gateways would wait for them for"
                            + " about two minutes.")
    private boolean withoutHosts;

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            description =
                    "The group.id of the gateways that are to serve there (default: the prefix and"
                            + " gateway).")
    private @Nullable String group;

    @Spec private CommandSpec spec = CommandSpec.create();

    /** What was or would be done, for machines. */
    private record Restored(
            boolean restored,
            String cluster,
            String prefix,
            String backupCluster,
            String backupPrefix,
            Instant backupBegunAt,
            Map<String, Long> records,
            long instances,
            long hosts,
            long leftOutClaims,
            long leftOutCommands,
            long waiting,
            List<String> refusals) {}

    @Override
    public Integer call() throws InterruptedException {
        try {
            return restore();
        } catch (BackupException e) {
            throw BackupFiles.explained(e);
        }
    }

    private int restore() throws InterruptedException {
        var connection = connection();
        var options =
                new Restore.Options(
                        overwrite,
                        withoutHosts,
                        group == null ? connection.names().prefix() + "gateway" : group);
        try (var progress = new ReplayProgressLine(Printer.err(spec), spec.qualifiedName())) {
            var restore = new Restore(connection, options, progress::taken);
            Restore.Plan plan;
            try (var _ = waiting("Reading the file and looking at the topics")) {
                plan = restore.plan(file);
            }
            boolean refused = !plan.refusals().isEmpty();
            if (!refused && !dryRun) {
                restore.write(file, plan);
            }
            progress.end();
            show(plan, !refused && !dryRun);
            return refused ? ExitCode.FAILED : ExitCode.OK;
        }
    }

    private void show(Restore.Plan plan, boolean done) {
        var output = output();
        if (output.isJson()) {
            output.json(
                    new Restored(
                            done,
                            plan.cluster(),
                            connection().names().prefix(),
                            plan.backup().cluster(),
                            plan.backup().prefix(),
                            plan.backup().begunAt(),
                            plan.records(),
                            plan.instances(),
                            withoutHosts ? 0 : plan.hosts(),
                            plan.claims(),
                            plan.running(),
                            plan.waiting(),
                            plan.refusals()));
        } else if (plan.refusals().isEmpty()) {
            BackupFiles.table(output, plan.records());
            output.line(
                    "%s %d instances of %s/%s in %s/%s, as they were at %s."
                            .formatted(
                                    done ? "Restored" : "Would restore",
                                    plan.instances(),
                                    plan.backup().cluster(),
                                    plan.backup().prefix(),
                                    plan.cluster(),
                                    connection().names().prefix(),
                                    plan.backup().begunAt()));
        }
        plan.refusals().forEach(each -> warn(each + "."));
        if (plan.refusals().isEmpty()) {
            remarks(plan);
        } else {
            warn("Nothing was written.");
        }
    }

    private void remarks(Restore.Plan plan) {
        if (plan.running() > 0) {
            warn(
                    "%d commands had not ended when the backup was made, and are left out: send them again."
                            .formatted(plan.running()));
        }
        if (plan.hosts() > 0 && !withoutHosts) {
            warn(
                    ("%d partitions name the worker that had them: gateways wait for it for about two minutes, and go on"
                                    + " there if it is back. --without-hosts leaves that out.")
                            .formatted(plan.hosts()));
        }
        if (plan.waiting() > 0) {
            warn(
                    "About %d commands and requests are there already: gateways carry them out first."
                            .formatted(plan.waiting()));
        }
    }
}
