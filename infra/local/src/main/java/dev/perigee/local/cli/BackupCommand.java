package dev.perigee.local.cli;

import dev.perigee.local.backup.Backup;
import dev.perigee.local.backup.BackupContents;
import dev.perigee.local.backup.BackupException;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.part.Printer;
import dev.perigee.protocol.topic.Topic;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a fleet's lasting state into a file. */
@Command(
        name = "backup",
        header = "Write the lasting state of a fleet into a file, for 'perigee restore'.",
        description = {
            "The cluster is only read, and the fleet may run. The file has the last record of each"
                    + " key of state, status, tools and catalog: what is installed, for whom, what"
                    + " is stopped or disabled, what sleeps, and who has crashed how often. Each"
                    + " partition is as it was at one moment. Commands, requests and results are"
                    + " not in it.",
            "",
            "It holds users' secrets as the topics do: encrypted where the gateways have keys,"
                    + " which it does not hold, else in plain. It is its owner's only. An existing"
                    + " file is never written over."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  perigee backup fleet.backup", "  perigee backup fleet.backup --check"})
final class BackupCommand extends ClientCommand {
    @Parameters(paramLabel = "FILE", description = "The file to write; there must be none yet.")
    private Path file = Path.of("");

    @Option(
            names = "--check",
            description =
                    "Write nothing: read FILE to its end, say whether it is whole and what it has."
                            + " Asks no cluster.")
    private boolean check;

    @Spec private CommandSpec spec = CommandSpec.create();

    /** What a file has, for machines. */
    private record Checked(
            int version,
            String perigee,
            String cluster,
            String prefix,
            Instant begunAt,
            int partitions,
            Map<String, Long> records,
            long instances,
            long running) {}

    @Override
    public Integer call() throws InterruptedException {
        try {
            return check ? check() : write();
        } catch (BackupException e) {
            throw BackupFiles.explained(e);
        }
    }

    private int write() throws InterruptedException {
        try (var progress = new ReplayProgressLine(Printer.err(spec), spec.qualifiedName())) {
            var backup =
                    new Backup(
                            connection(),
                            RecordingFiles.version(),
                            progress::looked,
                            InstantSource.system());
            var result = backup.write(file);
            progress.end();
            show(result);
        }
        return ExitCode.OK;
    }

    private void show(Backup.Result result) {
        var output = output();
        if (output.isJson()) {
            output.json(result);
            return;
        }
        BackupFiles.table(output, result.records());
        output.line(
                "Wrote %s, %d KiB, with %d instances."
                        .formatted(file, result.bytes() >> 10, result.instances()));
        if (result.leftOut() > 0) {
            output.line(
                    "Left out %d records of instances that are not installed."
                            .formatted(result.leftOut()));
        }
    }

    private int check() {
        BackupContents contents;
        try (var _ = waiting("Reading " + file)) {
            contents = BackupContents.of(file);
        }
        show(contents, output());
        return ExitCode.OK;
    }

    private void show(BackupContents contents, Output output) {
        var header = contents.header();
        int partitions = header.partitions().getOrDefault(Topic.STATE, 0);
        if (output.isJson()) {
            output.json(
                    new Checked(
                            header.version(),
                            header.perigee(),
                            header.cluster(),
                            header.prefix(),
                            header.begunAt(),
                            partitions,
                            contents.records(),
                            contents.instances(),
                            contents.running()));
            return;
        }
        output.line("format    " + header.version() + ", by Perigee " + header.perigee());
        output.line(
                "fleet     %s/%s, %d partitions"
                        .formatted(header.cluster(), header.prefix(), partitions));
        output.line("begun     " + header.begunAt());
        output.line("instances " + contents.instances());
        BackupFiles.table(output, contents.records());
        output.line("The file is whole.");
    }
}
