package dev.perigee.part.worker;

import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.PartCommand;
import dev.perigee.part.RunningPart;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.worker.Worker;
import dev.perigee.worker.WorkerSettings;
import dev.perigee.worker.WorkerStartException;
import dev.perigee.worker.instance.InstanceSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;

/** Runs a worker in the foreground. */
@Command(
        name = "worker",
        header = "Run a worker: it hosts MCP servers for gateways.",
        description =
                "Needs a jail for its servers (apt-get install bubblewrap util-linux), or"
                        + " isolation.mode=none for servers that are trusted. Configuration keys"
                        + " are in docs/reference/configuration.md.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee worker --config worker.properties",
            "  perigee worker --set link.token-file=link-token \\",
            "      --set worker.cache-directory=cache",
            "  PERIGEE_LINK_TOKEN_FILE=/run/token perigee worker \\",
            "      --set link.listen=0.0.0.0:7070"
        })
public final class WorkerCommand extends PartCommand {
    private static final String CARRIERS = "jdk.virtualThreadScheduler.parallelism";
    private static final Duration CLOSE_MARGIN = Duration.ofSeconds(30);

    @Override
    protected SettingsSchema schema() {
        return WorkerSettings.SCHEMA;
    }

    @Override
    protected Map<String, String> given() {
        return Map.of();
    }

    @Override
    protected RunningPart start(Settings settings) {
        leaveCoresToServers();
        try {
            return new Running(Worker.start(settings), closeDeadline(settings));
        } catch (WorkerStartException e) {
            throw new CliException(ExitCode.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Calls, instances and feeds run on virtual threads, and have half of the cores at a time: the
     * other half is the MCP servers'. Where both had all, each call would wake a second core for
     * what the first does in the same moment, and fewer results would go together. To be called
     * before the first virtual thread starts; the JVM's own property goes first.
     */
    private static void leaveCoresToServers() {
        if (System.getProperty(CARRIERS) == null) {
            int cores = Runtime.getRuntime().availableProcessors();
            System.setProperty(CARRIERS, Integer.toString(Math.max(1, cores / 2)));
        }
    }

    /** Partitions leave, then processes end: both as long as was allowed. */
    public static Duration closeDeadline(Settings settings) {
        return settings.value(WorkerSettings.DRAIN_TIMEOUT)
                .plus(settings.value(InstanceSettings.TERMINATION_GRACE).multipliedBy(2))
                .plus(CLOSE_MARGIN);
    }

    private record Running(Worker worker, Duration closeDeadline) implements RunningPart {
        @Override
        public Map<String, String> addresses() {
            var addresses = new LinkedHashMap<String, String>();
            addresses.put("link", worker.linkUri().toString());
            addresses.put("admin", worker.adminUri().toString());
            return addresses;
        }

        /** A worker that was frozen for too long has lost its processes. */
        @Override
        public void awaitEnd() throws InterruptedException {
            worker.awaitLeaseLost();
        }

        @Override
        public void close() {
            worker.close();
        }
    }
}
