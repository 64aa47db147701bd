package dev.perigee.gateway.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.protocol.access.ScramClient;
import dev.perigee.protocol.access.ScramServer;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.jspecify.annotations.Nullable;

/**
 * Speaks the worker's side of the link over a real WebSocket, as a test tells it: every method has
 * an answer that a test may replace, and everything received is kept.
 */
final class FakeWorker {
    /** What a test does with a request: answers it, or null to stay silent. */
    interface Behaviour extends Function<LinkFrame.Request, @Nullable LinkFrame> {}

    static final String TOKEN = "s3cret";

    final List<LinkFrame.Request> requests = new CopyOnWriteArrayList<>();
    final List<LinkFrame.Notification> notifications = new CopyOnWriteArrayList<>();
    private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();

    /** By partition, the connection that attached last, which alone is heard: as at a worker. */
    private final Map<Integer, Peer> attached = new HashMap<>();

    private final Server server;
    private final ServerConnector connector;
    private volatile @Nullable Peer peer;
    private volatile String incarnation = "first";
    private volatile Duration retention = Duration.ofSeconds(30);

    FakeWorker() throws Exception {
        this(null);
    }

    FakeWorker(SslContextFactory.@Nullable Server tls) throws Exception {
        behaviours.put(
                LinkMethod.HELLO,
                request -> answer(request, hello(incarnation, retention.toMillis())));
        behaviours.put(LinkMethod.ATTACH, request -> answer(request, attached(true)));
        behaviours.put(
                LinkMethod.EXECUTE,
                request -> new LinkFrame.Response(request.id(), RawJson.EMPTY_OBJECT));
        behaviours.put(
                LinkMethod.DETACH,
                request -> new LinkFrame.Response(request.id(), RawJson.EMPTY_OBJECT));
        var threads = new QueuedThreadPool(12, 2);
        threads.setName("fake-worker");
        server = new Server(threads);
        connector = new ServerConnector(server, null, null, null, 1, 1, factories(tls));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(
                new Gate(
                        WebSocketUpgradeHandler.from(
                                server,
                                container -> {
                                    container.setMaxTextMessageSize(LinkFrame.MAX_BYTES * 2L);
                                    container.setIdleTimeout(Duration.ZERO);
                                    container.addMapping(
                                            "/link", (request, response, callback) -> new Peer());
                                })));
        server.start();
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private static Hello.Result hello(String incarnation, long retentionMs) {
        return new Hello.Result(
                "worker-1", incarnation, retentionMs, List.of(), null, null, null, null, null);
    }

    private static ConnectionFactory[] factories(SslContextFactory.@Nullable Server tls) {
        return AbstractConnectionFactory.getFactories(tls, new HttpConnectionFactory());
    }

    /** Proves itself and lets nobody through who does not: as a worker. */
    private static final class Gate extends Handler.Wrapper {
        private final ScramServer proofs = new ScramServer(TOKEN);

        Gate(Handler next) {
            super(next);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback)
                throws Exception {
            var challenge =
                    switch (proofs.judge(request.getHeaders().get("Authorization"))) {
                        case ScramServer.Verdict.Accepted(var proof) -> {
                            response.getHeaders().put(ScramClient.PROOF_HEADER, proof);
                            yield null;
                        }
                        case ScramServer.Verdict.Challenged(var asked) -> asked;
                        case ScramServer.Verdict.Refused(var scheme) -> scheme;
                    };
            if (challenge == null) {
                return super.handle(request, response, callback);
            }
            response.getHeaders().put("WWW-Authenticate", challenge);
            response.setStatus(401);
            callback.succeeded();
            return true;
        }
    }

    int port() {
        return connector.getLocalPort();
    }

    FakeWorker on(String method, Behaviour behaviour) {
        behaviours.put(method, behaviour);
        return this;
    }

    Behaviour behaviour(String method) {
        return Objects.requireNonNull(behaviours.get(method), method);
    }

    FakeWorker incarnation(String next) {
        incarnation = next;
        return this;
    }

    FakeWorker retention(Duration announced) {
        retention = announced;
        return this;
    }

    /** As newer workers do: says between what ends the newest connection is. */
    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    FakeWorker saysItsEnds() {
        return on(
                LinkMethod.HELLO,
                request -> {
                    var newest = Objects.requireNonNull(peer).session;
                    return answer(
                            request,
                            new Hello.Result(
                                    "worker-1",
                                    incarnation,
                                    retention.toMillis(),
                                    List.of(),
                                    null,
                                    null,
                                    null,
                                    newest == null
                                            ? null
                                            : Hello.Ends.of(
                                                    newest.getRemoteSocketAddress(),
                                                    newest.getLocalSocketAddress()),
                                    null));
                });
    }

    static LinkFrame answer(LinkFrame.Request request, Object result) {
        return new LinkFrame.Response(request.id(), Json.raw(result));
    }

    static LinkFrame refuse(LinkFrame.Request request, LinkError error) {
        return new LinkFrame.Failure(request.id(), error.code(), "no: " + error);
    }

    static Attach.Result attached(boolean resumed, Attach.AcceptedRecord... accepted) {
        return new Attach.Result(
                resumed,
                7,
                List.of(
                        new Attach.AttachedProcess(
                                "p-1", 5, null, "running", null, 1, 1_000_000, null, null)),
                List.of(accepted),
                null);
    }

    static SessionNotice.InstanceEvent event(int partition, long seq) {
        return new SessionNotice.InstanceEvent(
                partition,
                "p-1",
                5,
                seq,
                "mcp.server.logs",
                "p-1",
                RawJson.of("{\"n\":" + seq + "}"),
                null,
                null,
                null,
                null,
                null);
    }

    /** What a cut left in the pipe is read late: after the next attach it has no effect. */
    private synchronized @Nullable LinkFrame answer(Peer sender, LinkFrame.Request request) {
        var partition = Json.tree(request.params().bytes()).get("partition");
        if (partition != null && request.method().equals(LinkMethod.ATTACH)) {
            attached.put(partition.asInt(), sender);
        } else if (partition != null && attached.get(partition.asInt()) != sender) {
            return null;
        }
        requests.add(request);
        var behaviour = behaviours.get(request.method());
        return behaviour == null ? null : behaviour.apply(request);
    }

    /** Sends a notification on the newest connection, if it is open. */
    void tell(String method, Object params) {
        send(new String(new LinkFrame.Notification(method, Json.raw(params)).encode(), UTF_8));
    }

    void send(String text) {
        var newest = peer;
        if (newest != null) {
            newest.send(text);
        }
    }

    List<LinkFrame.Request> received(String method) {
        return requests.stream().filter(request -> request.method().equals(method)).toList();
    }

    <T> List<T> received(String method, Class<T> type) {
        return received(method).stream().map(r -> Json.read(r.params(), type)).toList();
    }

    <T> List<T> told(String method, Class<T> type) {
        return notifications.stream()
                .filter(notification -> notification.method().equals(method))
                .map(notification -> Json.read(notification.params(), type))
                .toList();
    }

    /** Lives on, but nobody can connect to it any more. */
    void refuse() {
        connector.setAccepting(false);
        connector.close();
    }

    /** Ends the newest connection, and says so. */
    void sayGoodbye() {
        var newest = peer;
        var open = newest == null ? null : newest.session;
        if (open != null) {
            open.close(StatusCode.SHUTDOWN, "bye", org.eclipse.jetty.websocket.api.Callback.NOOP);
        }
    }

    /** As when it is killed: the server would say goodbye, the connector does not. */
    void close() throws Exception {
        connector.stop();
        server.stop();
    }

    /** One connection. Public for Jetty. */
    public final class Peer implements Session.Listener.AutoDemanding {
        private volatile @Nullable Session session;

        @Override
        public void onWebSocketOpen(Session opened) {
            session = opened;
            peer = this;
        }

        @Override
        public void onWebSocketText(String message) {
            switch (LinkFrame.decode(message.getBytes(UTF_8))) {
                case LinkFrame.Request request -> {
                    var answer = answer(this, request);
                    if (answer != null) {
                        send(new String(answer.encode(), UTF_8));
                    }
                }
                case LinkFrame.Notification notification -> notifications.add(notification);
                case LinkFrame.Response ignored -> {}
                case LinkFrame.Failure ignored -> {}
            }
        }

        void send(String text) {
            var open = session;
            if (open != null) {
                open.sendText(text, org.eclipse.jetty.websocket.api.Callback.NOOP);
            }
        }
    }
}
