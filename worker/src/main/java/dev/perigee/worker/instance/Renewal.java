package dev.perigee.worker.instance;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass over an instance's subscriptions, which a server that began anew is asked for again: a
 * modern one by one request, a legacy one by one each. On a virtual thread of its own, within
 * {@link #LIMIT} after its pause; {@link Message.Renewed} goes to the supervisor, unless it is
 * given up or the server ends.
 */
final class Renewal {
    private static final Logger log = LoggerFactory.getLogger(Renewal.class);

    /** For all of them. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** For one. */
    private static final Duration EACH = Duration.ofSeconds(10);

    private final ServerRun run;
    private final Subscriptions subscriptions;
    private final Mailbox mailbox;
    private final Duration pause;
    private volatile @Nullable Thread thread;

    private record Subscribe(String uri) {}

    /** A pass that {@link #begin} starts. */
    Renewal(ServerRun run, Subscriptions subscriptions, Mailbox mailbox, Duration pause) {
        this.run = run;
        this.subscriptions = subscriptions;
        this.mailbox = mailbox;
        this.pause = pause;
    }

    ServerRun run() {
        return run;
    }

    void begin(String processId) {
        thread =
                Thread.ofVirtual()
                        .name("subscribe-" + processId)
                        .start(LogContext.current().carriedBy(this::perform));
    }

    void giveUp() {
        var asking = thread;
        if (asking != null) {
            asking.interrupt();
        }
    }

    private void perform() {
        var client = run.client();
        if (client == null) {
            return;
        }
        var refused = new ArrayList<String>();
        boolean unreached;
        try {
            Thread.sleep(pause);
            unreached = ask(client, refused);
        } catch (InterruptedException e) {
            return; // Given up.
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("process_id", run.config().processId())
                    .setCause(e)
                    .log("Subscriptions were not renewed");
            unreached = true;
        }
        if (!run.isOver()) {
            mailbox.post(new Message.Renewed(run, refused, unreached));
        }
    }

    /** True when the server did not answer for some. */
    private boolean ask(McpClient client, List<String> refused) throws InterruptedException {
        long until = System.nanoTime() + LIMIT.toNanos();
        return client.listens()
                ? listen(client, until, refused)
                : subscribeToEach(client, until, refused);
    }

    private boolean listen(McpClient client, long untilNanos, List<String> refused)
            throws InterruptedException {
        if (!subscriptions.begin(left(untilNanos))) {
            refused.addAll(subscriptions.all());
            return true;
        }
        try {
            refused.addAll(client.listen(subscriptions.all(), left(untilNanos)));
            return false;
        } catch (McpException e) {
            refused.addAll(subscriptions.all());
            return e.mayPass();
        } finally {
            subscriptions.end();
        }
    }

    private boolean subscribeToEach(McpClient client, long untilNanos, List<String> refused)
            throws InterruptedException {
        boolean unreached = false;
        for (var uri : subscriptions.all()) {
            if (run.isOver()) {
                return false;
            }
            if (!subscriptions.begin(left(untilNanos))) {
                refused.add(uri);
                unreached = true;
                continue;
            }
            try {
                if (subscriptions.contains(uri)) { // Nobody unsubscribed meanwhile.
                    var params = Json.raw(new Subscribe(uri));
                    var _ = client.request("resources/subscribe", params, left(untilNanos));
                }
            } catch (McpException e) {
                refused.add(uri);
                unreached |= e.mayPass();
            } finally {
                subscriptions.end();
            }
        }
        return unreached;
    }

    private static Duration left(long untilNanos) {
        var all = Duration.ofNanos(Math.max(0, untilNanos - System.nanoTime()));
        return all.compareTo(EACH) < 0 ? all : EACH;
    }
}
