package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.worker.log.FailureReason;
import dev.perigee.worker.log.LevelInference;
import dev.perigee.worker.log.SecretMask;
import dev.perigee.worker.log.ServerLog;
import dev.perigee.worker.log.ServerMessage;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.ServerMetrics;
import dev.perigee.worker.mcp.StdioMcpClient;
import dev.perigee.worker.process.ChildListener;
import dev.perigee.worker.process.ChildProcess;
import dev.perigee.worker.process.Enclosure;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.process.ProcessSignal;
import dev.perigee.worker.process.TreeMeter;
import dev.perigee.worker.process.isolation.ProgramEgress;
import dev.perigee.worker.secret.SecretException;
import dev.perigee.worker.tool.FailureStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One life of a process: its pipes, its MCP session, its log. The launcher's thread brings what it
 * says; the supervisor decides about it. A program without MCP has all its output logged.
 */
final class ProcessRun extends ServerRun implements ChildListener {
    private final ServerConfig config;
    private final Listener listener;
    private final InstanceJournal journal;
    private final OutputGate gate;
    private final EgressNotices notices;
    private final InstanceSecrets secrets;
    private final ServerLog log;
    private final ServerNotices serverNotices;
    private final @Nullable StdioMcpClient client;
    private final @Nullable TreeMeter meter;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable ChildProcess child;
    private volatile @Nullable ExitStatus exit;
    private volatile boolean silent;
    private volatile boolean doomed;
    private volatile long endedNanos;
    private volatile SecretMask mask;

    /** Called on any thread; must not block. */
    interface Listener extends ServerRun.Listener {
        /** The process ended; {@link ProcessRun#exit()} says how. */
        void exited(ProcessRun run);
    }

    ProcessRun(
            ServerConfig config,
            HostParts parts,
            InstanceJournal journal,
            OutputGate gate,
            Listener listener,
            ServerMetrics metrics,
            EgressNotices notices,
            InstanceSecrets secrets,
            @Nullable TreeMeter meter) {
        super(listener);
        this.listener = listener;
        this.config = config;
        this.journal = journal;
        this.gate = gate;
        this.notices = notices;
        this.secrets = secrets;
        this.mask = secrets.mask(List.of(config));
        this.meter = meter;
        this.log =
                new ServerLog(
                        config.processId(),
                        parts.options().logs(),
                        this::masked,
                        parts.clock(),
                        parts.timers(),
                        this::append);
        this.serverNotices = new ServerNotices(mask::apply, new Outlet(), parts.timers());
        this.client =
                config.transportType() == TransportType.STDIO
                        ? new StdioMcpClient(
                                config.processId(),
                                parts.options().mcp(),
                                metrics,
                                this,
                                parts.lines(),
                                new Output())
                        : null;
    }

    private final class Output implements StdioMcpClient.Output {
        @Override
        public boolean pause() {
            return gate.stall(child, true);
        }

        @Override
        public void resume() {
            gate.stall(child, false);
        }
    }

    private final class Outlet implements ServerNotices.Outlet {
        @Override
        public void publish(EventBody event) {
            if (!silent && journal.reaches(event.type())) {
                journal.appendNotice(event, pid());
            }
        }

        @Override
        public void remark(String what) {
            ProcessRun.this.remark(what);
        }
    }

    private void append(EventBody event) {
        if (!silent) {
            journal.append(event, pid(), null);
        }
    }

    /**
     * Its configuration with what the references stand for, which is masked before anything of it
     * can be heard.
     *
     * @param ordered whether somebody may just have mended what failed a moment ago
     */
    ServerConfig resolve(boolean ordered) throws SecretException, InterruptedException {
        var resolved = secrets.resolve(config, ordered);
        mask = secrets.mask(List.of(config));
        return resolved;
    }

    /** What the process may reach; what it was refused is in the instance's log. */
    ProgramEgress reach() {
        return new ProgramEgress(
                config.egressRules(),
                what -> {
                    if (!silent) {
                        notices.refused(config.processId(), () -> masked(what));
                    }
                });
    }

    /** The process is about to be started in this enclosure, or in none. */
    void launching(@Nullable Enclosure enclosure) {
        if (meter != null) {
            meter.starting(enclosure);
        }
    }

    /** The process was started now. */
    void started(ChildProcess process, Instant now) {
        if (meter != null) {
            meter.begin(process.tree());
        }
        child = process;
        startedAt(now);
        if (client != null) {
            client.attach(process);
        }
        if (doomed) {
            process.signal(ProcessSignal.KILL);
        }
    }

    @Override
    void kill() {
        doomed = true;
        var process = child;
        if (process != null) {
            process.signal(ProcessSignal.KILL);
        }
    }

    @Override
    ServerConfig config() {
        return config;
    }

    @Override
    SecretMask mask() {
        return mask;
    }

    @Override
    @Nullable StdioMcpClient client() {
        return client;
    }

    @Nullable ChildProcess child() {
        return child;
    }

    @Override
    @Nullable Long pid() {
        var process = child;
        return process == null ? null : process.pid();
    }

    /** How the process ended, null while it lives. */
    @Nullable ExitStatus exit() {
        return exit;
    }

    @Override
    boolean isOver() {
        return exit != null;
    }

    @Override
    Duration uptime() {
        return exit == null
                ? super.uptime()
                : Duration.ofNanos(Math.max(0, endedNanos - startedNanos()));
    }

    ServerLog log() {
        return log;
    }

    @Override
    String lastWords() {
        var reason = FailureReason.among(log.lastLines());
        if (reason.text().isEmpty()) {
            return "";
        }
        var ended = exit;
        boolean byItself = ended != null && ended.code() != null;
        return (reason.certain() && byItself ? ": " : "; last stderr: ") + reason.text();
    }

    @Override
    void remark(String what) {
        log.remark(LevelInference.WARN, what);
    }

    @Override
    ServerNotices serverNotices() {
        return serverNotices;
    }

    @Override
    void logged(Supplier<@Nullable ServerMessage> message) {
        log.message(message);
    }

    @Override
    FailureStatus undiscovered(McpException failure) {
        return FailureStatus.error(explained("Tool discovery failed: " + failure.getMessage()));
    }

    @Override
    void silence() {
        silent = true;
    }

    /** Waits until all that the process said was read, a short while at most. */
    void awaitClosed(Duration limit) throws InterruptedException {
        var _ = closed.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void onAnswer(long bytes) {
        journal.expect(bytes);
    }

    @Override
    public void onTaken(long bytes) {
        journal.expectNoMore(bytes);
    }

    @Override
    public void onStdout(ByteBuffer bytes) {
        if (client != null) {
            client.onStdout(bytes);
        } else {
            log.stdout(bytes);
        }
    }

    @Override
    public void onStderr(ByteBuffer bytes) {
        log.stderr(bytes);
    }

    @Override
    public void onEnding(long pid) {
        if (meter != null) {
            meter.end(pid);
        }
    }

    @Override
    public void onExit(ExitStatus status) {
        if (meter != null) {
            meter.end();
        }
        endedNanos = System.nanoTime();
        exit = status;
        log.flushLines();
        if (client != null) {
            client.onExit("The server's process ended with " + status);
        }
        listener.exited(this);
    }

    @Override
    public void onClosed() {
        log.flush();
        if (client != null) {
            client.onClosed();
        }
        closed.countDown();
    }

    @Override
    public void onGarbage(Supplier<String> what) {
        log.remark(LevelInference.WARN, what);
    }
}
