package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.part.Span;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.event.Heartbeat.ProcessSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what fills the workers, and who is busy on them. */
@Command(
        name = "top",
        header = "Show what fills the workers, and which servers are busy.",
        description =
                "By the workers' heartbeats, one every 30 s unless heartbeat.interval differs.",
        footerHeading = "%nExamples:%n",
        footer = {"  perigee top", "  perigee top --watch --servers 20"})
final class TopCommand extends ClientCommand {
    /** Older ones are of workers that are gone, three intervals of the default. */
    private static final Duration FRESH = Duration.ofSeconds(90);

    @Option(
            names = {"-w", "--watch"},
            description = "Again with every heartbeat, until interrupted.")
    private boolean watch;

    @Option(
            names = "--servers",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many of the busiest servers (default 10).")
    private int servers;

    @Override
    public Integer call() {
        if (servers < 1) {
            throw CliException.usage("--servers must be at least 1");
        }
        var output = output();
        try (var progress = waiting("Reading the heartbeats");
                var view = WorkerHeartbeats.open(connection())) {
            var shown = view.since(Instant.now().minus(FRESH));
            progress.came();
            show(shown, output);
            while (watch) {
                view.poll();
                var now = view.since(Instant.now().minus(FRESH));
                if (!now.equals(shown)) {
                    shown = now;
                    show(shown, output);
                }
            }
        }
        return ExitCode.OK;
    }

    private void show(Map<String, Heartbeat> workers, Output output) {
        if (output.isJson()) {
            workers.values().forEach(output::json);
            return;
        }
        if (workers.isEmpty()) {
            warn("No worker has sent a heartbeat for " + FRESH.toSeconds() + " s.");
            return;
        }
        output.table(
                List.of(
                        "WORKER",
                        "STATUS",
                        "AGE",
                        "PARTITIONS",
                        "AWAKE",
                        "DORMANT",
                        "SERVERS CPU",
                        "SERVERS MEM",
                        "JVM CPU",
                        "JVM HEAP",
                        "HOST CPU",
                        "HOST FREE"),
                workers.values().stream().map(TopCommand::worker).toList());
        var busiest = busiest(workers.values());
        if (!busiest.isEmpty()) {
            output.line(Span.plain(""));
            output.table(
                    List.of("SERVER", "WORKER", "STATUS", "OPEN", "CALLS", "ERRORS", "CRASHES"),
                    busiest);
        }
        if (watch) {
            output.line(Span.plain(""));
        }
    }

    private static List<String> worker(Heartbeat it) {
        int awake = it.countsByState().getOrDefault("running", 0);
        return List.of(
                it.workerId(),
                it.status(),
                Duration.between(it.timestamp(), Instant.now()).toSeconds() + " s",
                String.valueOf(it.partitions().size()),
                String.valueOf(awake),
                String.valueOf(it.dormantCount()),
                share(it.serversCpuLoad()),
                bytes(it.serversMemoryBytes()),
                share(it.cpuLoad()),
                bytes(it.memoryUsedBytes()) + " of " + bytes(it.memoryMaxBytes()),
                share(it.hostCpuLoad()),
                bytes(it.hostMemoryAvailableBytes()) + " of " + bytes(it.hostMemoryMaxBytes()));
    }

    /** Those with calls under way first, then those with most calls. */
    private List<List<String>> busiest(Collection<Heartbeat> workers) {
        record Row(String worker, ProcessSummary server) {}
        var rows = new ArrayList<Row>();
        for (var worker : workers) {
            worker.processesByTeam().values().stream()
                    .flatMap(List::stream)
                    .forEach(server -> rows.add(new Row(worker.workerId(), server)));
        }
        return rows.stream()
                .sorted(
                        Comparator.comparingInt((Row row) -> row.server().activeRequests())
                                .thenComparingLong(row -> row.server().messageCount())
                                .reversed())
                .limit(servers)
                .map(row -> server(row.worker(), row.server()))
                .toList();
    }

    private static List<String> server(String worker, ProcessSummary it) {
        var status = it.status();
        return List.of(
                it.processId(),
                worker,
                it.dormant() ? "dormant" : status == null ? it.state() : status.wireName(),
                String.valueOf(it.activeRequests()),
                String.valueOf(it.messageCount()),
                String.valueOf(it.errorCount()),
                String.valueOf(it.crashCount()));
    }

    private static String share(@Nullable Double load) {
        return load == null ? "?" : String.format(Locale.ROOT, "%.0f %%", load * 100);
    }

    private static String bytes(@Nullable Long bytes) {
        if (bytes == null) {
            return "?";
        }
        return bytes < 1L << 30
                ? (bytes >> 20) + " MiB"
                : String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
    }
}
