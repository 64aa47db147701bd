package dev.perigee.local.cli;

import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.recording.RecordingReader;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.part.OutputFormat;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import dev.perigee.protocol.topic.Topic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what a recording has. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Show what a recording has, and whether it is whole.",
        description = "Exits 64 when the file is no recording, cut off or damaged.",
        footerHeading = "%nExamples:%n",
        footer = {"  perigee recording show day.recording"})
final class RecordingShowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "A file that 'recording make' wrote.")
    private Path file = Path.of("");

    @Option(
            names = "--output",
            paramLabel = "table|json",
            defaultValue = "table",
            description = "How to print: table (default), or one JSON document.")
    private OutputFormat format = OutputFormat.TABLE;

    @Spec private CommandSpec spec = CommandSpec.create();

    /** What is printed. */
    record Shown(
            int version,
            String perigee,
            String source,
            int partitions,
            String since,
            String until,
            Map<String, Long> records,
            int servers,
            Map<String, Long> skipped) {}

    @Override
    public Integer call() {
        try (var reader = new RecordingReader(file)) {
            var counts = new TreeMap<String, Long>();
            var servers = new TreeSet<String>();
            for (var record = reader.next(); record != null; record = reader.next()) {
                counts.merge(record.topic().suffix(), 1L, Long::sum);
                if (record.topic() == Topic.TOOLS && record.value() != null) {
                    servers.add(record.value().path("server_slug").asString(""));
                }
            }
            var header = reader.header();
            print(
                    new Shown(
                            header.version(),
                            header.perigee(),
                            header.source(),
                            header.partitions(),
                            header.since() == null ? "" : header.since().toString(),
                            header.until().toString(),
                            counts,
                            servers.size(),
                            reader.unknown()));
            RecordingFiles.warn(reader, Printer.err(spec), spec.qualifiedName());
            return ExitCode.OK;
        } catch (RecordingException e) {
            throw RecordingFiles.explained(e);
        }
    }

    private void print(Shown shown) {
        var output = new Output(spec, format);
        if (output.isJson()) {
            output.json(shown);
            return;
        }
        output.line("format    " + shown.version() + ", by Perigee " + shown.perigee());
        output.line("fleet     " + shown.source() + ", " + shown.partitions() + " partitions");
        output.line(
                "span      "
                        + (shown.since().isEmpty() ? "all" : shown.since())
                        + " until "
                        + shown.until());
        output.line("servers   " + shown.servers());
        output.table(
                List.of("TOPIC", "RECORDS"),
                shown.records().entrySet().stream()
                        .map(each -> List.of(each.getKey(), each.getValue().toString()))
                        .toList());
        output.line("The file is whole.");
    }
}
