package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.TreeLimits;
import dev.perigee.worker.process.network.InstanceNetworks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs every program in a jail of its own. What was decided, and what it cannot do: {@code
 * docs/adr/0005-jails.md}.
 */
final class JailIsolation implements Isolation {
    private static final Logger log = LoggerFactory.getLogger(JailIsolation.class);

    private final Jail jail;
    private final JailEntry entry;
    private final JailPolicy policy;
    private final TreeLimits limits;
    private final CacheLayout caches;
    private final Path logs;
    private final @Nullable MemoryGroups groups;
    private final @Nullable InstanceNetworks networks;
    private final String description;

    /**
     * Jails of one kind.
     *
     * @param entry what they begin with
     * @param limits of all processes of a jail together, for who watches them
     * @param logs where the jails' own logs are, of this worker alone
     * @param groups null where memory cannot be limited
     * @param networks null where programs have no network of their own with a way out
     * @param hostGaps what this host keeps any jail from enforcing
     */
    JailIsolation(
            Jail jail,
            JailEntry entry,
            JailPolicy policy,
            TreeLimits limits,
            CacheLayout caches,
            Path logs,
            @Nullable MemoryGroups groups,
            @Nullable InstanceNetworks networks,
            List<String> hostGaps) {
        this.jail = jail;
        this.entry = entry;
        this.policy = policy;
        this.limits = limits;
        this.caches = caches;
        this.logs = logs;
        this.groups = groups;
        this.networks = networks;
        var gaps = new ArrayList<>(jail.unenforced());
        gaps.addAll(entry.gaps());
        gaps.addAll(hostGaps);
        this.description =
                gaps.isEmpty()
                        ? jail.name()
                        : jail.name() + "; not enforced: " + String.join("; ", gaps);
    }

    @Override
    public String name() {
        return jail.name();
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public boolean holdsReach() {
        return policy.network() != NetworkMode.HOST;
    }

    @Override
    public boolean carriesNetworks() {
        return networks == null || networks.areCarried();
    }

    @Override
    public long refused() {
        return networks == null ? 0 : networks.refused();
    }

    @Override
    public int connections() {
        return networks == null ? 0 : networks.connections();
    }

    @Override
    public long idleConnections() {
        return networks == null ? 0 : networks.idle();
    }

    @Override
    public LaunchSpec enclose(ServerProgram program, ProgramEgress reach) {
        var dropped = JailEnvironment.dropped(program);
        if (!dropped.isEmpty()) {
            log.atInfo()
                    .addKeyValue("team_id", program.home().owner())
                    .addKeyValue("names", dropped)
                    .log("Configured environment variables are kept from a jailed program");
        }
        var jailLog = JailLog.in(logs);
        return enclose(
                program, reach, jailLog, () -> report(program.home().owner(), jailLog.take()));
    }

    private static void report(String owner, String logged) {
        if (JailLog.tellsFailure(logged)) {
            log.atWarn()
                    .addKeyValue("team_id", owner)
                    .addKeyValue("jail", logged)
                    .log("A jail could not be made");
        }
    }

    /** Runs something harmless in a jail: null when that works, else what went wrong. */
    @Nullable String probe(ProcessLauncher launcher) throws InterruptedException {
        var directory = caches.probe();
        // Whether a jail works does not depend on how full the disk is.
        var home = new Home.Disused(directory);
        var probe = new JailProbe(policy.network() != NetworkMode.HOST);
        var program = new ServerProgram(home, ServerRuntime.NODE, probe.command(), Map.of());
        var jailLog = JailLog.in(logs);
        try {
            var spec = enclose(program, ProgramEgress.NOTHING, jailLog, () -> {});
            return probe.failure(launcher, spec, jailLog);
        } finally {
            remove(directory);
        }
    }

    /** Nothing was written there. */
    private static void remove(Path probe) {
        try {
            Files.deleteIfExists(probe);
        } catch (IOException e) {
            log.atDebug().addKeyValue("directory", probe).setCause(e).log("Stays");
        }
    }

    private LaunchSpec enclose(
            ServerProgram program, ProgramEgress reach, JailLog jailLog, Runnable last) {
        var home = home(program);
        var identity = entry.identities().of(program.home(), owned(program, home, jailLog));
        var environment = JailEnvironment.of(policy, program, home);
        var system = SystemPaths.find(policy, caches.root());
        var jailed = JailedProgram.of(program, home).with(names());
        var command = jail.command(policy, system, jailed, jailLog);
        var configuration = jail.configuration(policy, system, jailed);
        if (!configuration.isEmpty()) {
            jailLog.configure(configuration);
        }
        var group = groups == null ? null : groups.create();
        var network =
                networks == null
                        ? null
                        : networks.open(program.home().tenant(), reach.only(), reach.refused());
        return new LaunchSpec(
                entry.command(
                        group, identity, network == null ? List.of() : network.words(), command),
                JailEntry.environment(environment),
                null,
                new JailEnclosure(
                        limits(program.home()),
                        program.home().tenant(),
                        program.home() instanceof Home.Disused ? null : home.host(),
                        groups,
                        group,
                        () -> {
                            if (network != null) {
                                network.close();
                            }
                            last.run();
                        }));
    }

    private TreeLimits limits(Home home) {
        return switch (home) {
            case Home.OfInstallation _, Home.OfWorker _ -> limits;
            case Home.Disused _ -> limits.withoutDisk();
        };
    }

    /** Where names are looked up, in place of what this host has. */
    private List<Mount> names() {
        if (networks == null) {
            return List.of();
        }
        var mounts = new ArrayList<Mount>();
        SystemPaths.resolver()
                .ifPresent(inside -> mounts.add(new Mount(networks.resolver(), inside, false)));
        if (Files.exists(SystemPaths.HOSTS)) {
            mounts.add(new Mount(networks.hosts(), SystemPaths.HOSTS, false));
        }
        return mounts;
    }

    /** What the jail's user gets of the host. */
    private List<Path> owned(ServerProgram program, HomePlace home, JailLog jailLog) {
        var owned = new ArrayList<>(List.of(home.host()));
        program.mounts().stream().filter(Mount::writable).map(Mount::host).forEach(owned::add);
        if (jail instanceof Nsjail) {
            owned.add(jailLog.create().file());
        }
        return owned;
    }

    @Override
    public String searchPath(ServerProgram program) {
        return JailEnvironment.PATH;
    }

    @Override
    public HomePlace home(ServerProgram program) {
        var runtime = program.runtime();
        return new HomePlace(
                caches.home(program.home(), runtime), Path.of("/home", runtime.wireName()));
    }

    @Override
    public boolean discard(Home.OfInstallation home) {
        return caches.discard(home);
    }

    @Override
    public Path gone() {
        return caches.gone();
    }

    @Override
    public Path packages() {
        return caches.packages();
    }

    @Override
    public Mount mount(Path host, Path inside, boolean writable) {
        return new Mount(host, inside, writable);
    }

    @Override
    public void close() {
        if (groups != null) {
            groups.close();
        }
        if (networks != null) {
            networks.close();
        }
    }
}
