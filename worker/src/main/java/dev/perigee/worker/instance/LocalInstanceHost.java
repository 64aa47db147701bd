package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.log.SecretMask;
import dev.perigee.worker.mcp.HttpConnections;
import dev.perigee.worker.mcp.LineRoom;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessTable;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.packages.Deletion;
import dev.perigee.worker.process.packages.PackageException;
import dev.perigee.worker.process.packages.PackagePreparer;
import dev.perigee.worker.process.packages.PackagePreparer.Lookup;
import dev.perigee.worker.secret.Secrets;
import dev.perigee.worker.tool.Retrying;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Host of instances that are processes of this worker, or its clients of servers over HTTP. One
 * platform thread keeps the timers of log batches, start slots and idle processes, one measures
 * usage where that is published; everything else that waits is a virtual thread.
 */
public final class LocalInstanceHost implements InstanceHost {
    private static final Logger log = LoggerFactory.getLogger(LocalInstanceHost.class);

    private final HostParts parts;

    /** A host that publishes no usage; its parts stay the caller's to close. */
    public LocalInstanceHost(
            InstanceOptions options,
            ProcessLauncher launcher,
            Termination termination,
            Isolation isolation,
            InstantSource clock) {
        this(options, launcher, termination, isolation, null, clock);
    }

    /**
     * A host; its parts stay the caller's to close.
     *
     * @param metered where processes are found whose usage is published; null where none is
     */
    public LocalInstanceHost(
            InstanceOptions options,
            ProcessLauncher launcher,
            Termination termination,
            Isolation isolation,
            @Nullable ProcessTable metered,
            InstantSource clock) {
        var timers =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("instance-timers").factory());
        timers.setRemoveOnCancelPolicy(true);
        timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        var deletion = new Deletion(isolation, launcher, termination);
        deletion.resume();
        var lines = new LineRoom(options.mcp().unfinished());
        this.parts =
                new HostParts(
                        options,
                        launcher,
                        termination,
                        isolation,
                        new PackagePreparer(
                                options.packages(),
                                isolation,
                                launcher,
                                termination,
                                deletion,
                                clock),
                        deletion,
                        HttpConnections.open(options.http(), lines),
                        lines,
                        new Retrying(options.retry()),
                        clock,
                        timers,
                        new StartSlots(options.parallelStarts(), options.startSlotHold(), timers),
                        new IdleSweep(options.idle(), clock, timers),
                        new UsageSweep(metered, clock),
                        new AwakeServers(options.awake(), clock::instant),
                        Secrets.of(options.secrets(), launcher, termination));
    }

    /** Has the memory measured that servers share. */
    public void measure(MeterRegistry meters) {
        var lines = parts.lines();
        Gauge.builder("perigee.worker.unfinished.bytes", lines, room -> room.budget().used())
                .description("Memory for messages of servers of which the end is not read yet")
                .register(meters);
        Gauge.builder("perigee.worker.unfinished.limit.bytes", lines, room -> room.budget().limit())
                .description("mcp.unfinished-memory: servers that need more are not read")
                .register(meters);
        Gauge.builder("perigee.worker.unfinished.waiting", lines, LineRoom::waiting)
                .description("Servers that are not read until others have ended their messages")
                .register(meters);
        measureEgress(meters);
    }

    private void measureEgress(MeterRegistry meters) {
        FunctionCounter.builder(
                        "perigee.worker.egress.refused",
                        parts,
                        all -> all.connections().refused() + all.isolation().refused())
                .description(
                        "What egress.* and config.egress refused: requests to servers over HTTP and"
                                + " SSE, connections and names of servers that are processes")
                .register(meters);
        Gauge.builder(
                        "perigee.worker.egress.connections",
                        parts.isolation(),
                        Isolation::connections)
                .description("Connections of servers out of networks of their own")
                .register(meters);
        FunctionCounter.builder(
                        "perigee.worker.egress.idle", parts.isolation(), Isolation::idleConnections)
                .description(
                        "Such connections that were broken off: nothing was said on them for"
                                + " isolation.connection-idle")
                .register(meters);
    }

    /** The worker listens at this port: see {@link EgressGuards#listensAt}. */
    public void listensAt(int port) {
        parts.connections().listensAt(port);
    }

    @Override
    public PartitionInstances open(int partition, JournalFactory journals) {
        parts.sweep().begin();
        parts.usage().begin();
        return new HostedInstances(partition, parts, journals);
    }

    @Override
    public void prepare(ServerConfig config) throws InterruptedException {
        var options = parts.options();
        if (!config.transportType().isProcess()
                || LaunchPlan.refusal(
                                config, options.allowedCommands(), parts.isolation().holdsReach())
                        != null) {
            return;
        }
        var program = LaunchPlan.withoutSecrets(config);
        if (program == null) {
            return; // Its start prepares it, with the secrets of then.
        }
        try {
            // As the start that follows the move: what it would refresh is refreshed now.
            var _ = parts.packages().prepare(program, Lookup.WHEN_DUE, _ -> {});
        } catch (PackageException e) {
            log.atInfo()
                    .addKeyValue("process_id", config.processId())
                    .addKeyValue(
                            "reason", SecretMask.of(config).apply(String.valueOf(e.getMessage())))
                    .log("A package could not be prepared ahead of a move");
        }
    }

    @Override
    public void close() {
        parts.timers().shutdownNow();
        parts.usage().close();
        parts.deletion().close();
        parts.connections().close();
    }
}
