package dev.perigee.worker.process.isolation;

import static java.util.stream.Collectors.joining;

import dev.perigee.protocol.settings.Settings;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.TreeLimits;
import dev.perigee.worker.process.network.InstanceNetworks;
import dev.perigee.worker.process.network.NetworkLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Decides, once at a worker's start, how its servers are isolated, and tries whether that works
 * here. Where a jail is asked for, as by default, and is missing or does not work, the worker does
 * not start.
 */
public final class IsolationChoice {
    private static final Logger log = LoggerFactory.getLogger(IsolationChoice.class);

    private static final Path SELF = Path.of("/proc/self");

    /**
     * Facts of the worker that the choice depends on.
     *
     * @param production whether servers without a jail are worth a warning
     * @param caches the cache directory
     * @param environment the worker's own
     * @param launcher by which it starts processes
     * @param egress what servers with a network of their own may reach
     */
    public record Host(
            boolean production,
            String workerId,
            String incarnation,
            Path caches,
            Map<String, String> environment,
            ProcessLauncher launcher,
            EgressGuards egress) {

        /** Without the environment's values. */
        @Override
        public String toString() {
            return "Host[production=%s, workerId=%s]".formatted(production, workerId);
        }
    }

    private final Host host;
    private final IsolationMode mode;
    private final JailPolicy policy;
    private final NetworkLimits connections;
    private final TreeLimits limits;
    private final IdentitySearch identities;
    private final MemorySearch memorySearch;

    private IsolationChoice(Settings settings, Host host, MemorySearch memorySearch) {
        this.host = host;
        this.memorySearch = memorySearch;
        this.mode = settings.value(IsolationSettings.MODE);
        this.connections = IsolationSettings.connections(settings);
        this.policy = IsolationSettings.policy(settings, host.environment());
        this.limits = IsolationSettings.limits(settings);
        this.identities =
                new IdentitySearch(
                        settings.value(IsolationSettings.IDS),
                        HostRights.of(SELF),
                        SubordinateIds.here(),
                        new CacheLayout(host.caches()));
    }

    /**
     * Decides and tries. Blocks until a first jail has come and gone, or not.
     *
     * @throws IllegalStateException when a jail is asked for and none works; the message says what
     *     to do
     */
    public static Isolation choose(Settings settings, Host host) throws InterruptedException {
        return choose(settings, host, new MemorySearch(Path.of("/proc/self")));
    }

    /** With another place to look for control groups. */
    static Isolation choose(Settings settings, Host host, MemorySearch memorySearch)
            throws InterruptedException {
        return new IsolationChoice(settings, host, memorySearch).choose();
    }

    private Isolation choose() throws InterruptedException {
        return mode == IsolationMode.NONE ? none() : jailed();
    }

    private Isolation jailed() throws InterruptedException {
        var logs = new CacheLayout(host.caches()).logs(host.workerId());
        var programs =
                new JailPrograms(
                        host.environment().getOrDefault("PATH", ""),
                        JailPrograms.SYSTEM_PATH,
                        SyscallFiles.write(logs));
        var kinds =
                switch (mode) {
                    case AUTO, NONE -> programs.any();
                    case BUBBLEWRAP -> programs.bubblewrap();
                    case NSJAIL -> programs.nsjail();
                };
        var entry = JailEntry.write(programs.perl(), logs, identities.find(), Quotas.here());
        var networks =
                policy.network() == NetworkMode.POLICY
                        ? InstanceNetworks.start(logs, host.egress(), connections)
                        : null;
        boolean chosen = false;
        try {
            var isolation = jailed(kinds, new Entrance(entry, networks));
            chosen = true;
            return isolation;
        } finally {
            if (networks != null && !chosen) {
                networks.close();
            }
        }
    }

    private Isolation none() {
        log.atLevel(host.production() ? Level.WARN : Level.INFO)
                .log(
                        "Servers are not isolated: they can read and end whatever this worker's"
                                + " user can");
        return new NoIsolation(host.environment(), host.caches());
    }

    /** First step of a jail, and its networks; null where it has none. */
    private record Entrance(JailEntry entry, @Nullable InstanceNetworks networks) {}

    /** Without a memory limit only where none is possible: what is missing is then reported. */
    private Isolation jailed(List<Jail> kinds, Entrance entrance) throws InterruptedException {
        JailLog.sweep(new CacheLayout(host.caches()).logs(host.workerId()));
        var memory = memory();
        var gap = memory instanceof MemoryPlace.Missing missing ? missing.why() : "";
        if (memory instanceof MemoryPlace.Found found) {
            var groups = new MemoryGroups(found, limits, host.workerId(), host.incarnation());
            groups.sweep();
            var limited = attempt(kinds, entrance, groups, null);
            if (limited.isolation() != null) {
                return chosen(limited.isolation());
            }
            gap = limited.failure();
        }
        var unlimited = attempt(kinds, entrance, null, policy.memoryBytes() == 0 ? null : gap);
        if (unlimited.isolation() != null) {
            return chosen(unlimited.isolation());
        }
        throw new IllegalStateException(
                "Servers are to be jailed, and %s does not work on this system (%s): %s; %sor %s"
                        .formatted(
                                kinds.getLast().name(),
                                unlimited.failure(),
                                advice(),
                                policy.network() == NetworkMode.POLICY ? NetworkMode.ADVICE : "",
                                IsolationMode.TRUSTED));
    }

    /** A setting that no jail can follow is to blame before the host is. */
    private String advice() {
        var missing = policy.readOnly().stream().filter(Files::notExists).toList();
        return missing.isEmpty()
                ? NamespaceAdvice.here().text()
                : "%s has %s, which is not there or not to be seen by this worker's user: correct it"
                        .formatted(
                                IsolationSettings.READ_ONLY.key(),
                                missing.stream().map(Path::toString).collect(joining(", ")));
    }

    /** The first that works, or why the last does not. */
    private record Attempt(@Nullable JailIsolation isolation, String failure) {}

    private Attempt attempt(
            List<Jail> kinds,
            Entrance entrance,
            @Nullable MemoryGroups groups,
            @Nullable String memoryGap)
            throws InterruptedException {
        var failure = "";
        for (var kind : kinds) {
            var isolation = isolation(kind, entrance, groups, memoryGap);
            failure = isolation.probe(host.launcher());
            if (failure == null) {
                return new Attempt(isolation, "");
            }
        }
        return new Attempt(null, failure);
    }

    private MemoryPlace memory() {
        return policy.memoryBytes() == 0
                ? new MemoryPlace.Missing("not limited")
                : memorySearch.search();
    }

    private JailIsolation isolation(
            Jail kind,
            Entrance entrance,
            @Nullable MemoryGroups groups,
            @Nullable String memoryGap) {
        var gaps = new ArrayList<String>();
        if (memoryGap != null) {
            gaps.add("memory by control groups, so the worker watches it: " + memoryGap);
        }
        if (HostUser.isRoot()
                && (groups == null || !groups.limitProcesses())
                && entrance.entry().identities() instanceof Identities.Shared) {
            gaps.add(
                    "number of processes by the system, so the worker watches it%s: servers run as root, run the worker as another user"
                            .formatted(
                                    kind instanceof Bubblewrap
                                            ? " and modes of the host's devices"
                                            : ""));
        }
        var caches = new CacheLayout(host.caches());
        return new JailIsolation(
                kind,
                entrance.entry(),
                policy,
                limits,
                caches,
                caches.logs(host.workerId()),
                groups,
                entrance.networks(),
                gaps);
    }

    private static Isolation chosen(JailIsolation isolation) {
        log.atInfo().addKeyValue("isolation", isolation.description()).log("Servers are jailed");
        return isolation;
    }
}
