package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.worker.log.LevelInference;
import dev.perigee.worker.log.SecretMask;
import dev.perigee.worker.log.ServerLog;
import dev.perigee.worker.mcp.McpListener;
import dev.perigee.worker.mcp.ServerInfo;
import dev.perigee.worker.mcp.ServerMetrics;
import dev.perigee.worker.mcp.StdioMcpClient;
import dev.perigee.worker.process.ChildListener;
import dev.perigee.worker.process.ChildProcess;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.process.ProcessSignal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One life of a process: its pipes, its MCP session, its log. The launcher's thread brings what it
 * says; the supervisor decides about it. A program without MCP has all its output logged.
 */
final class ServerRun implements ChildListener, McpListener {
    private final ServerConfig config;
    private final InstanceJournal journal;
    private final Mailbox mailbox;
    private final SecretMask mask;
    private final ServerLog log;
    private final @Nullable StdioMcpClient client;
    private final AtomicBoolean announced = new AtomicBoolean();
    private final AtomicBoolean changeTold = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable ChildProcess child;
    private volatile @Nullable ExitStatus exit;
    private volatile boolean silent;
    private volatile boolean doomed;
    private volatile long spawnedNanos = System.nanoTime();
    private volatile long endedNanos;
    private volatile @Nullable Instant spawnedAt;
    private volatile @Nullable ServerInfo info;

    ServerRun(
            ServerConfig config,
            HostParts parts,
            InstanceJournal journal,
            Mailbox mailbox,
            ServerMetrics metrics) {
        this.config = config;
        this.journal = journal;
        this.mailbox = mailbox;
        this.mask = SecretMask.of(config);
        this.log =
                new ServerLog(
                        config.processId(),
                        parts.options().logs(),
                        mask,
                        parts.clock(),
                        parts.timers(),
                        this::append);
        this.client =
                config.transportType() == TransportType.STDIO
                        ? new StdioMcpClient(
                                config.processId(), parts.options().mcp(), metrics, this)
                        : null;
    }

    private void append(EventBody event) {
        if (!silent) {
            journal.append(event, pid(), null);
        }
    }

    /** The process was started now. */
    void started(ChildProcess process, Instant now) {
        child = process;
        spawnedAt = now;
        if (client != null) {
            client.attach(process);
        }
        if (doomed) {
            process.signal(ProcessSignal.KILL);
        }
    }

    /** Kills the process, also one that is only being started. Does not wait. */
    void kill() {
        doomed = true;
        var process = child;
        if (process != null) {
            process.signal(ProcessSignal.KILL);
        }
    }

    void spawning() {
        spawnedNanos = System.nanoTime();
    }

    void introduced(ServerInfo introduced) {
        info = introduced;
    }

    ServerConfig config() {
        return config;
    }

    /** Null for a program without MCP. */
    @Nullable StdioMcpClient client() {
        return client;
    }

    /** Null before the handshake. */
    @Nullable ServerInfo info() {
        return info;
    }

    @Nullable ChildProcess child() {
        return child;
    }

    @Nullable Long pid() {
        var process = child;
        return process == null ? null : process.pid();
    }

    @Nullable Instant spawnedAt() {
        return spawnedAt;
    }

    /** How the process ended, null while it lives. */
    @Nullable ExitStatus exit() {
        return exit;
    }

    /** From the spawn to the exit, or to now. */
    Duration uptime() {
        long end = exit == null ? System.nanoTime() : endedNanos;
        return Duration.ofNanos(Math.max(0, end - spawnedNanos));
    }

    /** True the first time: the start of this process is yet to be told. */
    boolean takeAnnouncement() {
        return announced.compareAndSet(false, true);
    }

    /** From now on another change of the tools is told. */
    void changeSeen() {
        changeTold.set(false);
    }

    ServerLog log() {
        return log;
    }

    /** The text without the configured secrets. */
    String masked(String text) {
        return mask.apply(text);
    }

    /** The text with the last lines of standard error, for people; without secrets. */
    String explained(String text) {
        var lines = log.lastLines();
        return masked(
                lines.isEmpty() ? text : text + "; last stderr: " + String.join(" | ", lines));
    }

    /** Nothing of this process is told any more. */
    void silence() {
        silent = true;
    }

    /** Waits until all that the process said was read, a short while at most. */
    void awaitClosed(Duration limit) throws InterruptedException {
        var _ = closed.await(limit.toNanos(), TimeUnit.NANOSECONDS);
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
    public void onExit(ExitStatus status) {
        endedNanos = System.nanoTime();
        exit = status;
        log.flush();
        if (client != null) {
            client.onExit("The server's process ended with " + status);
        }
        mailbox.post(new Message.Exited(this));
    }

    @Override
    public void onClosed() {
        log.flush();
        closed.countDown();
    }

    @Override
    public void onToolsChanged() {
        if (changeTold.compareAndSet(false, true)) {
            mailbox.post(new Message.ToolsChanged(this));
        }
    }

    @Override
    public void onGarbage(Supplier<String> what) {
        log.remark(LevelInference.WARN, what);
    }
}
