package dev.perigee.worker.instance;

import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.ServerInfo;
import dev.perigee.worker.tool.FailureStatus;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to open a session with a server over HTTP, on a virtual thread of its own and within
 * the handshake timeout. The outcome, {@link Message.Connected} or {@link Message.ConnectFailed},
 * goes to the supervisor; an abandoned attempt has none.
 */
final class ConnectAttempt implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(ConnectAttempt.class);
    private static final Duration GIVING_UP = Duration.ofSeconds(5);

    private final HttpRun run;
    private final long round;
    private final HostParts parts;
    private final Mailbox mailbox;
    private final Thread thread;

    ConnectAttempt(HttpRun run, long round, HostParts parts, Mailbox mailbox) {
        this.run = run;
        this.round = round;
        this.parts = parts;
        this.mailbox = mailbox;
        this.thread =
                Thread.ofVirtual()
                        .name("connect-" + run.config().processId())
                        .unstarted(LogContext.current().carriedBy(this));
    }

    void begin() {
        thread.start();
    }

    /** Abandons the attempt; after this returns it reports nothing. */
    void abandon() throws InterruptedException {
        thread.interrupt();
        if (!thread.join(GIVING_UP)) {
            log.atWarn()
                    .addKeyValue("process_id", run.config().processId())
                    .log("A cancelled connection attempt does not end");
        }
    }

    @Override
    public void run() {
        try {
            run.introduced(introduction());
            mailbox.post(new Message.Connected(run, round));
        } catch (McpException e) {
            mailbox.post(new Message.ConnectFailed(run, round, FailureStatus.of(e)));
        } catch (InterruptedException e) {
            log.atDebug()
                    .addKeyValue("process_id", run.config().processId())
                    .log("Connection attempt cancelled");
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("process_id", run.config().processId())
                    .setCause(e)
                    .log("Connecting failed unexpectedly");
            mailbox.post(
                    new Message.ConnectFailed(
                            run, round, FailureStatus.error("see the worker's log")));
        }
    }

    /** What the server says of itself; one that is busy is waited for if there is time. */
    private ServerInfo introduction() throws McpException, InterruptedException {
        long deadlineNanos = System.nanoTime() + timeout().toNanos();
        return parts.retrying()
                .whenAsked(
                        () ->
                                run.client()
                                        .initialize(
                                                Duration.ofNanos(
                                                        deadlineNanos - System.nanoTime())),
                        deadlineNanos);
    }

    private Duration timeout() {
        var own = run.config().handshakeTimeout();
        return own == null ? parts.options().handshakeTimeout() : own;
    }
}
