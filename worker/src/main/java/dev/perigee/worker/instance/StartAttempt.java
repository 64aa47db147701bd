package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.isolation.ServerProgram;
import dev.perigee.worker.process.packages.PackageException;
import dev.perigee.worker.secret.SecretException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to start a server, on a virtual thread of its own: has its secrets resolved, prepares
 * its package, waits for an awake place and a slot, starts the process and makes the handshake. The
 * outcome goes to the supervisor, which also ends what was started. Only the spawn and the first
 * moments after it hold a slot; the handshake's timeout begins there too.
 */
final class StartAttempt implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(StartAttempt.class);

    /** Spawning takes milliseconds; everything else in a start ends soon when it is interrupted. */
    private static final Duration LONGEST_LAUNCH = Duration.ofSeconds(30);

    /** How long a process that just ended is read for what it said last. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final ProcessRun run;
    private final StartKind kind;
    private final HostParts parts;
    private final OutputGate gate;
    private final Mailbox mailbox;
    private final RunningCalls calls;
    private final Admission admission;
    private final Thread thread;

    /** Admission of one more process; waits for it, bounded. */
    interface Admission {
        /** Why not, for people; null when there may. */
        @Nullable String ask() throws InterruptedException;
    }

    /**
     * A start that was not begun yet.
     *
     * @param calls those that wait for it, if there are any
     * @param admission whether there may be one more process
     */
    StartAttempt(
            ProcessRun run,
            StartKind kind,
            HostParts parts,
            OutputGate gate,
            Mailbox mailbox,
            RunningCalls calls,
            Admission admission) {
        this.run = run;
        this.kind = kind;
        this.parts = parts;
        this.gate = gate;
        this.mailbox = mailbox;
        this.calls = calls;
        this.admission = admission;
        this.thread =
                Thread.ofVirtual()
                        .name("start-" + run.config().processId())
                        .unstarted(LogContext.current().carriedBy(this));
    }

    void begin() {
        thread.start();
    }

    /** Gives the start up; when this returns nothing is started any more. */
    void abandon() throws InterruptedException {
        thread.interrupt();
        if (!thread.join(LONGEST_LAUNCH)) {
            log.atError()
                    .addKeyValue("process_id", run.config().processId())
                    .log("A cancelled start does not end: the launcher hangs");
        }
    }

    @Override
    public void run() {
        try {
            var program = prepared(run.resolve(kind.isOrdered()));
            var refusal = admission.ask();
            if (refusal != null) {
                mailbox.post(new Message.StartRefused(run, "too_many_awake", refusal));
                return;
            }
            try (var slot = parts.slots().acquire(owner(), () -> calls.count() > 0)) {
                if (slot == null) {
                    fail("The worker is starting too many servers: try again later");
                    return;
                }
                start(program);
            }
        } catch (SecretException e) {
            // No crash, so that an outage of the provider does not end in permanently_failed.
            mailbox.post(
                    new Message.StartRefused(run, "spawn_failed", String.valueOf(e.getMessage())));
        } catch (PackageException e) {
            notLaunched(e, e.getCause() instanceof LaunchException cause ? cause : null);
        } catch (LaunchException e) {
            notLaunched(e, e);
        } catch (McpException e) {
            failInHandshake(e);
        } catch (InterruptedException e) {
            log.atDebug()
                    .addKeyValue("process_id", run.config().processId())
                    .log("Start cancelled");
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("process_id", run.config().processId())
                    .setCause(e)
                    .log("Start failed unexpectedly");
            fail("The server could not be started: see the worker's log");
        }
    }

    private StartQueue.Owner owner() {
        return new StartQueue.Owner(run.config().teamId(), run.config().userId());
    }

    private ServerProgram prepared(ServerConfig config)
            throws PackageException, InterruptedException {
        var program = LaunchPlan.of(config);
        return parts.packages()
                .prepare(
                        program,
                        kind.lookup(),
                        what -> mailbox.post(new Message.Progressed(run, run.masked(what))));
    }

    private void start(ServerProgram program)
            throws LaunchException, McpException, InterruptedException {
        run.starting();
        run.installed(program.version());
        var spec = parts.isolation().enclose(program, run.reach());
        run.launching(spec.enclosure());
        var child = parts.launcher().launch(spec, run);
        run.started(child, parts.clock().instant());
        var client = run.client();
        gate.guard(child, client == null);
        if (client == null) {
            mailbox.post(new Message.Started(run, null));
            return;
        }
        var info = client.initialize(timeout());
        run.introduced(info);
        mailbox.post(new Message.Started(run, info));
    }

    /** A disk that others have filled is no failure of the server's. */
    private void notLaunched(Exception failure, @Nullable LaunchException launch) {
        var why = run.masked(String.valueOf(failure.getMessage()));
        if (launch != null && launch.reason() == LaunchException.Reason.DISK_RESERVE) {
            mailbox.post(new Message.StartRefused(run, "spawn_failed", why));
        } else {
            fail(why);
        }
    }

    private void fail(String why) {
        mailbox.post(new Message.StartFailed(run, why));
    }

    private Duration timeout() {
        var own = run.config().handshakeTimeout();
        return own == null ? parts.options().handshakeTimeout() : own;
    }

    private void failInHandshake(McpException failure) {
        try {
            if (failure.kind() == McpException.Kind.CRASHED
                    || failure.kind() == McpException.Kind.NOT_READ) {
                run.awaitClosed(LAST_WORDS);
            }
            fail(run.explained(explanation(failure)));
        } catch (InterruptedException e) {
            log.atDebug()
                    .addKeyValue("process_id", run.config().processId())
                    .log("Start cancelled");
        }
    }

    private String explanation(McpException failure) {
        var exit = run.exit();
        if (exit != null) {
            return ExitTexts.of(exit) + " during handshake";
        }
        return switch (failure.kind()) {
            case TIMEOUT ->
                    "the server did not answer initialize within %d ms"
                            .formatted(timeout().toMillis());
            case SERVER_ERROR -> "the server refused initialize: " + failure.getMessage();
            case CRASHED,
                    CLOSED,
                    NOT_READ,
                    CANCELLED,
                    TOO_LARGE,
                    INVALID_ANSWER,
                    UNREACHABLE,
                    UNAUTHORIZED,
                    FORBIDDEN,
                    AUTHORIZATION_REQUIRED,
                    RATE_LIMITED,
                    REQUEST_REFUSED,
                    HTTP_REFUSED,
                    EGRESS_REFUSED,
                    HTTP_FAILED ->
                    String.valueOf(failure.getMessage());
        };
    }
}
