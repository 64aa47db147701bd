package dev.perigee.worker;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.tracing.Traced;
import dev.perigee.tracing.Tracing;
import dev.perigee.worker.admin.Health;
import dev.perigee.worker.admin.Health.Check;
import dev.perigee.worker.admin.HeartbeatReport;
import dev.perigee.worker.admin.LimitMeters;
import dev.perigee.worker.admin.ServerCapacity;
import dev.perigee.worker.admin.ServerGauges;
import dev.perigee.worker.admin.WorkerAdminServer;
import dev.perigee.worker.admin.WorkerAdminSettings;
import dev.perigee.worker.admin.WorkerJvmMeters;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressSettings;
import dev.perigee.worker.instance.InstanceSettings;
import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.instance.LocalInstanceHost;
import dev.perigee.worker.process.DiskReserve;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.LeftoverSweeper;
import dev.perigee.worker.process.LimitWatch;
import dev.perigee.worker.process.OwnedLauncher;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.ProcessOwner;
import dev.perigee.worker.process.ProcessTable;
import dev.perigee.worker.process.ServerUsage;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.Watchdog;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.isolation.IsolationChoice;
import dev.perigee.worker.process.isolation.IsolationSettings;
import dev.perigee.worker.session.LinkServer;
import dev.perigee.worker.session.LinkServerSettings;
import dev.perigee.worker.session.SessionRegistry;
import dev.perigee.worker.session.SessionSettings;
import dev.perigee.worker.session.WorkerIdentity;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker. It starts in the order in which its promises build on each other: what an earlier
 * incarnation left is killed, then the watchdog guards, then processes can be started, then a jail
 * is tried where there is to be one, then gateways are let in. {@link #close} is for an orderly
 * end: gateways are notified, processes are ended and their last entries acknowledged before the
 * link is closed.
 */
public final class Worker implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    private static final Duration SWEEP_SURPLUS = Duration.ofSeconds(15);

    private final WorkerIdentity identity;
    private final ShutdownSequence parts;
    private final LinkServer link;
    private final WorkerAdminServer admin;
    private final CountDownLatch leaseLost;

    private Worker(
            WorkerIdentity identity,
            ShutdownSequence parts,
            LinkServer link,
            WorkerAdminServer admin,
            CountDownLatch leaseLost) {
        this.identity = identity;
        this.parts = parts;
        this.link = link;
        this.admin = admin;
        this.leaseLost = leaseLost;
    }

    /**
     * Starts a worker; it serves when this returns. Blocks while an earlier run of the same worker
     * is still being ended.
     *
     * @param settings by {@link WorkerSettings#SCHEMA}
     * @throws WorkerStartException when it cannot be started; nothing is left running then
     */
    public static Worker start(Settings settings) throws WorkerStartException {
        var parts = new ShutdownSequence();
        try {
            return start(settings, parts);
        } catch (IOException | LaunchException | RuntimeException e) {
            parts.stopAll();
            throw new WorkerStartException(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            parts.stopAll();
            Thread.currentThread().interrupt();
            throw new WorkerStartException("Interrupted while starting", e);
        }
    }

    private static Worker start(Settings settings, ShutdownSequence parts)
            throws IOException, LaunchException, InterruptedException {
        var identity =
                new WorkerIdentity(
                        WorkerSettings.workerId(settings),
                        UUID.randomUUID().toString(),
                        settings.value(WorkerSettings.CAPACITY));
        var clock = Clock.systemUTC();
        var meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        parts.add("meters", meters::close);
        parts.add("jvm meters", WorkerJvmMeters.bindTo(meters)::close);
        var traced = new Traced("worker", identity.workerId(), version());
        parts.add("tracing", Tracing.start(settings, traced, meters)::close);

        var processes = startProcesses(settings, identity, parts, meters);
        ServerGauges.bindTo(meters, processes.usage()::now);
        var egress = EgressGuards.of(EgressSettings.read(settings));
        var isolation =
                IsolationChoice.choose(
                        settings,
                        new IsolationChoice.Host(
                                WorkerSettings.isProduction(settings),
                                identity.workerId(),
                                identity.incarnation(),
                                WorkerSettings.caches(settings),
                                System.getenv(),
                                processes.launcher(),
                                egress));
        parts.add("isolation", isolation::close);
        var instances =
                new LocalInstanceHost(
                        WorkerSettings.instances(settings),
                        processes.launcher(),
                        processes.termination(),
                        isolation,
                        settings.value(InstanceSettings.USAGE) ? processes.table() : null,
                        clock);
        parts.add("instances", instances::close);
        instances.measure(meters);

        var sessions =
                new SessionRegistry(
                        identity.workerId(),
                        SessionSettings.read(settings, WorkerSettings.terminationLimit(settings)),
                        instances,
                        meters,
                        clock);
        sessions.start();
        var leaving =
                new Leaving(
                        identity.workerId(),
                        sessions,
                        settings.value(WorkerSettings.DRAIN_TIMEOUT));
        // Stopped after the sessions, so that a worker that is leaving can be watched; started
        // before the link, since heartbeats tell where it is.
        var admin =
                WorkerAdminServer.start(
                        settings.value(WorkerAdminSettings.LISTEN),
                        new WorkerAdminServer.Pages(
                                live(processes, isolation),
                                ready(processes, isolation, leaving, sessions),
                                meters,
                                sessions::instances,
                                capacity(settings, processes.usage()),
                                WorkerSettings.debugs(settings),
                                leaving,
                                WorkerSettings.adminAccess(settings)));
        parts.add("admin", admin::close);
        // Before a gateway can have anything started; below again, for a port that was free.
        for (int port :
                List.of(admin.uri().getPort(), settings.value(LinkServerSettings.LISTEN).port())) {
            if (port != 0) {
                egress.listensAt(port);
                instances.listensAt(port);
            }
        }
        var link =
                LinkServer.start(
                        LinkServerSettings.read(settings),
                        identity,
                        sessions,
                        heartbeat(
                                identity,
                                isolation,
                                sessions,
                                processes.usage(),
                                admin.seenUri(),
                                clock),
                        settings.value(LinkServerSettings.HEARTBEAT_INTERVAL),
                        meters);
        parts.add("link", link::close);
        egress.listensAt(link.uri().getPort());
        instances.listensAt(link.uri().getPort());
        leaving.by(link);
        parts.add("sessions", leaving::leave);
        log.atInfo()
                .addKeyValue("worker_id", identity.workerId())
                .addKeyValue("incarnation", identity.incarnation())
                .addKeyValue("isolation", isolation.description())
                .addKeyValue("settings", settings)
                .log("Worker started");
        return new Worker(identity, parts, link, admin, processes.leaseLost());
    }

    private record Processes(
            ProcessLauncher launcher,
            Termination termination,
            ProcessTable table,
            ServerUsage usage,
            Watchdog watchdog,
            DiskReserve reserve,
            CountDownLatch leaseLost) {}

    private static Processes startProcesses(
            Settings settings,
            WorkerIdentity identity,
            ShutdownSequence parts,
            MeterRegistry meters)
            throws LaunchException, InterruptedException {
        var owner = new ProcessOwner(identity.workerId(), identity.incarnation());
        var retention = settings.value(SessionSettings.RETENTION);
        var sweeper = new LeftoverSweeper();
        sweeper.sweep(owner, retention.plus(SWEEP_SURPLUS));
        var options = launcherOptions(settings, meters);
        var launcher = ProcessLaunchers.create(options);
        parts.add("launcher", launcher::close);
        var leaseLost = new CountDownLatch(1);
        var watchdog = Watchdog.start(owner, retention, launcher, leaseLost::countDown);
        parts.add("watchdog", watchdog::close);
        sweeper.requireAlone(owner);
        var table = new ProcessTable();
        var termination = new Termination(table);
        var reserve = IsolationSettings.diskReserve(settings, WorkerSettings.caches(settings));
        var limits =
                LimitWatch.start(
                        table,
                        LimitWatch.Pace.usual(),
                        totals(settings),
                        reserve,
                        LimitMeters.bindTo(meters));
        parts.add("limits", limits::close);
        // Each heartbeat measures anew, and readers of metrics no oftener than those.
        var fresh = settings.value(LinkServerSettings.HEARTBEAT_INTERVAL).dividedBy(2);
        var owned =
                new OwnedLauncher(
                        launcher,
                        owner,
                        watchdog,
                        termination,
                        settings.value(SessionSettings.EXPIRY_GRACE),
                        limits);
        return new Processes(
                owned,
                termination,
                table,
                new ServerUsage(table, owner, fresh),
                watchdog,
                reserve,
                leaseLost);
    }

    private static LimitWatch.Totals totals(Settings settings) {
        return new LimitWatch.Totals(
                HostShare.bytes(settings.valueOrNull(IsolationSettings.TOTAL_MEMORY)),
                HostShare.processes(
                        settings.valueOrNull(IsolationSettings.TOTAL_PROCESSES),
                        new HostProcesses(Path.of("/")).most()),
                HostShare.available(settings.valueOrNull(IsolationSettings.TOTAL_MEMORY)));
    }

    private static ServerCapacity capacity(Settings settings, ServerUsage usage) {
        return new ServerCapacity(
                HostShare.bytes(settings.valueOrNull(IsolationSettings.TOTAL_MEMORY)),
                WorkerSettings.instances(settings).awake(),
                usage::now);
    }

    private static LauncherOptions launcherOptions(Settings settings, MeterRegistry meters) {
        var bytes = settings.valueOrNull(InstanceSettings.INPUT_MEMORY);
        var usual = LauncherOptions.defaults();
        var options = bytes == null ? usual : usual.withUnread(ByteBudget.of(bytes));
        Gauge.builder("perigee.worker.input.bytes", options.unread(), ByteBudget::used)
                .description("Memory for what servers were sent and have not read yet")
                .register(meters);
        Gauge.builder("perigee.worker.input.limit.bytes", options.unread(), ByteBudget::limit)
                .description("process.input-memory: from here on calls are refused")
                .register(meters);
        return options;
    }

    private static HeartbeatReport heartbeat(
            WorkerIdentity identity,
            Isolation isolation,
            SessionRegistry sessions,
            ServerUsage usage,
            URI adminUrl,
            InstantSource clock) {
        var version = version();
        var about =
                new HeartbeatReport.About(
                        identity.workerId(),
                        identity.incarnation(),
                        version == null ? "development" : version,
                        isolation.description(),
                        adminUrl,
                        clock.instant());
        return new HeartbeatReport(
                about,
                new HeartbeatReport.Source() {
                    @Override
                    public List<InstanceSnapshot> instances() {
                        return sessions.instances();
                    }

                    @Override
                    public List<Integer> partitions() {
                        return sessions.partitions();
                    }

                    @Override
                    public String status() {
                        return switch (sessions.drainProgress().phase()) {
                            case SERVING -> "running";
                            case DRAINING, STOPPING -> "draining";
                            case DRAINED -> "drained";
                        };
                    }

                    @Override
                    public ServerUsage.@Nullable Usage servers() {
                        return usage.now();
                    }
                },
                clock);
    }

    private static @Nullable String version() {
        return Worker.class.getPackage().getImplementationVersion();
    }

    private static Health live(Processes processes, Isolation isolation) {
        return new Health(
                "live",
                List.of(
                        new Check(
                                "watchdog",
                                "The lease was lost and the processes with it: the worker ends.",
                                () -> processes.leaseLost().getCount() > 0),
                        networks(isolation)));
    }

    private static Check networks(Isolation isolation) {
        return new Check(
                "networks",
                "A fault ended the networks of all servers: the worker must be restarted.",
                isolation::carriesNetworks);
    }

    /** Leftovers are swept before anything listens, so it is done before any request. */
    private static Health ready(
            Processes processes, Isolation isolation, Leaving leaving, SessionRegistry sessions) {
        return new Health(
                "ready",
                List.of(
                        new Check(
                                "watchdog",
                                "Nothing would end the processes if the worker died.",
                                processes.watchdog()::held),
                        networks(isolation),
                        new Check(
                                "disk",
                                "Less than isolation.disk-reserve, or few inodes, are free below worker.cache-directory: no server is started.",
                                processes.reserve()::isKept),
                        new Check("link", "Gateways cannot connect.", leaving::isListening),
                        new Check(
                                "sessions",
                                "The worker is leaving and takes no sessions.",
                                () -> sessions.drainState().takesSessions())));
    }

    /** Where gateways connect. */
    public URI linkUri() {
        return link.uri();
    }

    /** Where health, metrics and debug pages are. */
    public URI adminUri() {
        return admin.uri();
    }

    /** Who it is, the same through restarts. */
    public String workerId() {
        return identity.workerId();
    }

    /** New at each start. */
    public String incarnation() {
        return identity.incarnation();
    }

    /**
     * Waits until the watchdog's lease is lost: the worker was frozen for its retention, its
     * processes are dead, nothing can be started any more. The program should close it and end with
     * an error, to be restarted.
     */
    public void awaitLeaseLost() throws InterruptedException {
        leaseLost.await();
    }

    /**
     * Ends it in order: gateways are notified, processes ended, their last events acknowledged, all
     * bounded. Does nothing the second time.
     */
    @Override
    public void close() {
        parts.stopAll();
    }
}
