package dev.perigee.worker.admin;

import com.sun.management.OperatingSystemMXBean;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.event.Heartbeat.ProcessSummary;
import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.process.ServerUsage;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Source of the worker's heartbeats. Any thread may ask. */
public final class HeartbeatReport implements Supplier<Heartbeat> {

    /** Facts of the worker that stay the same. */
    public record About(
            String workerId,
            String incarnation,
            String version,
            String isolation,
            URI adminUrl,
            Instant start) {}

    /** Queries of a heartbeat to the worker. */
    public interface Source {
        /** All instances, as they are now. */
        List<InstanceSnapshot> instances();

        /** The partitions whose sessions are here. */
        List<Integer> partitions();

        /** The heartbeat's status: {@code running}, {@code draining} or {@code drained}. */
        String status();

        /** What the processes of servers take, null where that is not known. */
        ServerUsage.@Nullable Usage servers();
    }

    private final About about;
    private final Source source;
    private final InstantSource clock;
    private final HostMemory hostMemory = new HostMemory(Path.of("/"));

    public HeartbeatReport(About about, Source source, InstantSource clock) {
        this.about = about;
        this.source = source;
        this.clock = clock;
    }

    @Override
    public Heartbeat get() {
        var now = clock.instant();
        var byTeam = new TreeMap<String, List<ProcessSummary>>();
        var instances = source.instances();
        var counts = InstanceCounts.of(instances);
        for (var instance : instances) {
            byTeam.computeIfAbsent(instance.identity().teamId(), ignored -> new ArrayList<>())
                    .add(summary(instance, now));
        }
        var runtime = Runtime.getRuntime();
        var servers = source.servers();
        var host = hostMemory.now();
        return new Heartbeat(
                Heartbeat.EVENT,
                about.workerId(),
                about.incarnation(),
                source.status(),
                about.version(),
                seconds(Duration.between(about.start(), now)),
                Math.max(0, load(OperatingSystemMXBean::getProcessCpuLoad)),
                runtime.totalMemory() - runtime.freeMemory(),
                runtime.maxMemory(),
                servers == null ? null : known(servers.cpuLoad()),
                servers == null ? null : servers.memoryBytes(),
                servers == null ? null : servers.processes(),
                known(load(OperatingSystemMXBean::getCpuLoad)),
                bytes(host.available()),
                bytes(host.limit()),
                byTeam,
                counts.byState(),
                counts.dormant(),
                source.partitions(),
                about.isolation(),
                about.adminUrl(),
                now);
    }

    private static ProcessSummary summary(InstanceSnapshot instance, Instant now) {
        var startedAt = instance.startedAt();
        return new ProcessSummary(
                instance.identity().processId(),
                instance.identity().installationId(),
                instance.identity().userId(),
                instance.identity().serverSlug(),
                instance.identity().installationName(),
                instance.state().wireName(),
                instance.status(),
                instance.dormant(),
                instance.pid(),
                startedAt == null ? 0 : seconds(Duration.between(startedAt, now)),
                instance.health(),
                instance.lastHealthCheckAt(),
                instance.crashCount(),
                instance.messageCount(),
                instance.errorCount(),
                instance.activeRequests(),
                instance.lastActivityAt(),
                instance.tools().stream().map(tool -> tool.toolName()).toList());
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    /** From 0 to 1 over all processors; negative where the JVM does not know. */
    private static double load(ToDoubleFunction<OperatingSystemMXBean> kind) {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? kind.applyAsDouble(system)
                : -1;
    }

    private static @Nullable Double known(double load) {
        return load >= 0 ? load : null;
    }

    private static @Nullable Long bytes(double amount) {
        return Double.isNaN(amount) ? null : (long) amount;
    }
}
