package dev.perigee.worker.instance;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.tool.ServerRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request to subscribe to a resource, or to end that. What is subscribed to is durable before the
 * request is answered, a repeated one too; what is given up is forgotten before the server is
 * asked, so that nothing brings it back. On its call's thread.
 */
final class SubscriptionRequest {
    /** Longest wait for the supervisor, which may be leaving, and for Kafka. */
    private static final Duration KEEPING = Duration.ofSeconds(10);

    private final Instance instance;
    private final Subscriptions subscriptions;
    private final String uri;
    private final boolean subscribes;
    private final int server;

    /** A way of asking a legacy server, as any request is. */
    @FunctionalInterface
    interface Question {
        RawJson ask() throws McpException, InterruptedException;
    }

    /** Reason for which there is no subscription, by no error of the server. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        private final ErrorCode code;

        RefusedException(ErrorCode code, String message) {
            super(message, null, false, false);
            this.code = code;
        }

        ErrorCode code() {
            return code;
        }
    }

    private SubscriptionRequest(Instance instance, String uri, boolean subscribes) {
        this.instance = instance;
        this.subscriptions = instance.subscriptions();
        this.uri = uri;
        this.subscribes = subscribes;
        this.server = subscriptions.server();
    }

    /** Null where the request is another one. */
    static @Nullable SubscriptionRequest of(Instance instance, ToolRequest request) {
        var method = ToolMethod.of(request.method());
        boolean subscribes = method == ToolMethod.RESOURCES_SUBSCRIBE;
        if (!subscribes && method != ToolMethod.RESOURCES_UNSUBSCRIBE) {
            return null;
        }
        var uri = ToolPath.parse(request.toolPath()).name();
        return uri == null ? null : new SubscriptionRequest(instance, uri, subscribes);
    }

    /** Whether no server has to be started for it. */
    boolean needsNoServer() {
        return !subscribes;
    }

    /** Forgets it, where there is no server to ask. */
    RawJson forget(Supplier<Duration> left) throws RefusedException, InterruptedException {
        begin(left);
        try {
            keep(null, left);
            return RawJson.EMPTY_OBJECT;
        } finally {
            subscriptions.end();
        }
    }

    /** Asks the server; the answer to the request. */
    RawJson perform(ServerRun run, McpClient client, Supplier<Duration> left, Question legacy)
            throws RefusedException, McpException, InterruptedException {
        begin(left);
        try {
            if (!subscribes) {
                keep(run, left);
                return client.listens() ? listen(client, subscriptions.all(), left) : legacy.ask();
            }
            requireRoom(run);
            var answer =
                    client.listens() ? listen(client, subscriptions.with(uri), left) : legacy.ask();
            keep(run, left);
            return answer;
        } finally {
            subscriptions.end();
        }
    }

    private void begin(Supplier<Duration> left) throws RefusedException, InterruptedException {
        if (!subscriptions.begin(left.get())) {
            throw new RefusedException(
                    ErrorCode.UNAVAILABLE,
                    "Other subscriptions of this server were not done in time: try again");
        }
    }

    private void requireRoom(ServerRun run) throws RefusedException {
        if (!run.masked(uri).equals(uri)) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST, "The URI has a secret of the configuration");
        }
        if (!subscriptions.hasRoom(uri)) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST,
                    "An instance has at most %d subscriptions, of %d bytes each and %d together, as JSON"
                            .formatted(
                                    Subscriptions.MAX_URIS,
                                    ServerRequest.MAX_SUBSCRIBED_BYTES,
                                    Subscriptions.MAX_BYTES));
        }
        if (!subscriptions.contains(uri) && !subscriptions.mayAdd()) {
            throw new RefusedException(
                    ErrorCode.OVERLOADED,
                    "Subscriptions of this server changed too often: try again later");
        }
    }

    private RawJson listen(McpClient client, List<String> uris, Supplier<Duration> left)
            throws RefusedException, McpException, InterruptedException {
        if (client.listen(uris, left.get()).contains(uri)) {
            throw new RefusedException(
                    ErrorCode.SERVER_ERROR,
                    "The server does not notify of changes of this resource");
        }
        return RawJson.EMPTY_OBJECT;
    }

    private void keep(@Nullable ServerRun run, Supplier<Duration> left)
            throws RefusedException, InterruptedException {
        boolean changed = subscribes ? subscriptions.add(uri, server) : subscriptions.remove(uri);
        if (subscribes && !subscriptions.contains(uri)) {
            throw new RefusedException(
                    ErrorCode.UNAVAILABLE,
                    "The installation went to another server meanwhile: subscribe again");
        }
        if (changed) {
            var keeping = subscriptions.keeping();
            instance.mailbox().post(new Message.SubscriptionChanged(run, uri, subscribes, keeping));
        }
        try {
            var most = left.get().compareTo(KEEPING) < 0 ? left.get() : KEEPING;
            var _ = subscriptions.kept().get(Math.max(1, most.toNanos()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new RefusedException(
                    ErrorCode.UNAVAILABLE,
                    "No gateway has kept the change of subscriptions in time: try again");
        }
    }
}
