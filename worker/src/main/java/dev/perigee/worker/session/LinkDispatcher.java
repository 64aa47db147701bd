package dev.perigee.worker.session;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.Lease;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatcher of a connection's messages, in their order. Runs on the connection's reader, so
 * nothing here waits: what does is left to a virtual thread. An invalid message fails alone: a
 * request is answered with the error, a notification is ignored and counted.
 */
final class LinkDispatcher implements GatewayConnection.Handler, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LinkDispatcher.class);
    private static final Map<String, Object> NOTHING = Map.of();

    private final WorkerIdentity identity;
    private final SessionRegistry sessions;
    private final OrderDesk orders;

    LinkDispatcher(WorkerIdentity identity, SessionRegistry sessions) {
        this.identity = identity;
        this.sessions = sessions;
        this.orders = new OrderDesk(sessions);
    }

    @Override
    public boolean handleInPlace(GatewayConnection connection, byte[] buffer, int length) {
        var ordered = ToolOrder.Ordered.read(buffer, length);
        if (ordered != null) {
            order(connection, ordered);
        }
        return ordered != null;
    }

    @Override
    public void handle(GatewayConnection connection, byte[] message) {
        var ordered = ToolOrder.Ordered.read(message);
        if (ordered != null) {
            order(connection, ordered);
            return;
        }
        LinkFrame frame;
        try {
            frame = LinkFrame.decode(message);
        } catch (InvalidRecordException e) {
            var error = e.isMalformed() ? LinkError.PARSE_ERROR : LinkError.INVALID_REQUEST;
            refuse(connection, null, error, String.valueOf(e.getMessage()));
            return;
        }
        switch (frame) {
            case LinkFrame.Request request ->
                    answering(
                            connection,
                            request.id(),
                            request.method(),
                            () -> serve(connection, request));
            case LinkFrame.Notification notification -> notification(connection, notification);
            case LinkFrame.Response ignored -> unexpected(connection);
            case LinkFrame.Failure ignored -> unexpected(connection);
        }
    }

    @Override
    public void close() {
        orders.close();
    }

    @Override
    public void answered(LinkPeer peer) {
        sessions.answered(peer);
    }

    @Override
    public void closed(LinkPeer peer) {
        sessions.closed(peer);
    }

    private void order(GatewayConnection connection, ToolOrder.Ordered ordered) {
        answering(
                connection,
                ordered.id(),
                LinkMethod.EXECUTE,
                () -> {
                    requireHello(connection);
                    execute(connection, ordered.id(), ordered.order());
                });
    }

    /** What answers a request, or says why it cannot. */
    private interface Service {
        void run() throws LinkRefusal;
    }

    private void answering(GatewayConnection connection, long id, String method, Service service) {
        try {
            service.run();
        } catch (LinkRefusal e) {
            refuse(connection, id, e.error(), String.valueOf(e.getMessage()));
        } catch (InvalidRecordException e) {
            refuse(connection, id, LinkError.INVALID_PARAMS, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            log.atError().addKeyValue("method", method).setCause(e).log("A link request failed");
            refuse(connection, id, LinkError.INTERNAL, "failed, see the worker's log");
        }
    }

    private static void requireHello(GatewayConnection connection) throws LinkRefusal {
        if (!connection.hasSaidHello()) {
            throw new LinkRefusal(LinkError.INVALID_REQUEST, "say link/hello first");
        }
    }

    private void serve(GatewayConnection connection, LinkFrame.Request request) throws LinkRefusal {
        var params = request.params();
        if (request.method().equals(LinkMethod.HELLO)) {
            connection.respond(request.id(), hello(connection, params));
            return;
        }
        requireHello(connection);
        switch (request.method()) {
            case LinkMethod.ATTACH -> attach(connection, request.id(), params);
            case LinkMethod.DETACH -> {
                var detach = Json.read(params, Attach.Detach.class);
                sessions.detach(connection, detach.partition(), detach.epoch());
                connection.respond(request.id(), NOTHING);
            }
            case LinkMethod.LEASE -> {
                long clockMs = sessions.clockMs();
                sessions.extend(connection, Json.read(params, Lease.Request.class));
                connection.respond(request.id(), new Lease.Result(clockMs));
            }
            case LinkMethod.RELEASE -> {
                var release = Json.read(params, Attach.Release.class);
                connection.respond(request.id(), sessions.release(connection, release));
            }
            case LinkMethod.TRIAL -> {
                var trial = Json.read(params, Attach.Trial.class);
                connection.respond(request.id(), sessions.trial(connection, trial));
            }
            case LinkMethod.PREPARE ->
                    prepare(
                            connection,
                            request.id(),
                            Json.read(params, InstanceOrder.Prepare.class).config());
            case LinkMethod.EXECUTE ->
                    execute(connection, request.id(), ToolOrder.Execute.read(params));
            case LinkMethod.CANCEL -> {
                var cancel = Json.read(params, ToolOrder.Cancel.class);
                var cancelled =
                        sessions.asOwner(
                                connection, cancel.partition(), session -> session.cancel(cancel));
                connection.respond(request.id(), cancelled);
            }
            default -> orders.take(connection, request);
        }
    }

    /** For whoever may get its partition; counts as an order, which it may take as long as. */
    private void prepare(GatewayConnection connection, long id, ServerConfig config)
            throws LinkRefusal {
        if (!connection.beginOrder()) {
            throw new LinkRefusal(
                    LinkError.OVERLOADED, "too many orders of this connection are under way");
        }
        Thread.ofVirtual()
                .name("prepare-" + id)
                .start(
                        () -> {
                            try {
                                answering(
                                        connection,
                                        id,
                                        LinkMethod.PREPARE,
                                        () -> prepared(connection, id, config));
                            } finally {
                                connection.endOrder();
                            }
                        });
    }

    private void prepared(GatewayConnection connection, long id, ServerConfig config)
            throws LinkRefusal {
        try {
            sessions.prepare(config);
            connection.respond(id, NOTHING);
        } catch (InterruptedException e) {
            throw new LinkRefusal(LinkError.DRAINING, "the worker is leaving");
        }
    }

    private void execute(GatewayConnection connection, long id, ToolOrder.Execute order)
            throws LinkRefusal {
        var accepted =
                sessions.asServed(connection, order.partition(), session -> session.execute(order));
        if (accepted.answered() == null) {
            connection.acceptSoon(id, order.origin());
        } else {
            connection.respond(id, accepted);
        }
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private Hello.Result hello(GatewayConnection connection, RawJson params) throws LinkRefusal {
        var hello = Json.read(params, Hello.Request.class);
        var protocol = LinkVersions.SPOKEN.common(hello.spoken());
        if (protocol == null) {
            var problem = LinkVersions.mismatch(hello.spoken(), LinkVersions.SPOKEN);
            log.atWarn()
                    .addKeyValue("gateway_id", hello.gatewayId())
                    .addKeyValue("reason", problem)
                    .log("Refused a gateway");
            throw new LinkRefusal(LinkError.NO_COMMON_VERSION, problem);
        }
        if (connection.hasSaidHello()) {
            throw new LinkRefusal(LinkError.INVALID_REQUEST, "hello was said before");
        }
        connection.greeted(hello.gatewayId(), protocol);
        var drain = sessions.drainState();
        return new Hello.Result(
                identity.workerId(),
                identity.incarnation(),
                sessions.retention().toMillis(),
                sessions.summaries(),
                identity.capacity(),
                drain.takesSessions() ? null : drain.notice(),
                sessions.clockMs(),
                connection.ends(),
                protocol);
    }

    private void attach(GatewayConnection connection, long id, RawJson params) throws LinkRefusal {
        var attach = Json.read(params, Attach.Request.class);
        if (attach.partition() < 0 || attach.epoch() < 0) {
            throw InvalidRecordException.invalid("fields partition and epoch must not be negative");
        }
        if (!attach.gatewayId().equals(connection.gatewayId())) {
            throw InvalidRecordException.invalid("field gateway_id is not the one of link/hello");
        }
        var ending = sessions.attach(connection, attach, id);
        if (ending != null) {
            Thread.ofVirtual()
                    .name("attach-" + attach.partition())
                    .start(() -> attachAfter(ending, connection, attach, id));
        }
    }

    /** The processes of the session before are being ended: waits, then attaches. */
    private void attachAfter(
            SessionEnding ending, GatewayConnection connection, Attach.Request attach, long id) {
        try {
            if (!ending.await(sessions.endingLimit())
                    || sessions.attach(connection, attach, id) != null) {
                throw new LinkRefusal(
                        LinkError.OVERLOADED,
                        "processes of the session before are still ending: attach again");
            }
        } catch (LinkRefusal e) {
            refuse(connection, id, e.error(), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            refuse(connection, id, LinkError.DRAINING, "the worker is leaving");
        }
    }

    private void notification(GatewayConnection connection, LinkFrame.Notification notification) {
        var params = notification.params();
        try {
            requireHello(connection);
            switch (notification.method()) {
                case LinkMethod.ACK -> {
                    var ack = Json.read(params, SessionNotice.Ack.class);
                    asOwner(connection, ack.partition(), session -> session.acknowledge(ack));
                }
                case LinkMethod.CREDIT -> {
                    var credit = Json.read(params, SessionNotice.Credit.class);
                    asOwner(connection, credit.partition(), session -> session.grant(credit));
                }
                case LinkMethod.COMMITTED -> {
                    var committed = Json.read(params, SessionNotice.Committed.class);
                    asOwner(
                            connection,
                            committed.partition(),
                            session -> session.commit(committed));
                }
                case LinkMethod.STAYING ->
                        connection.stays(
                                Json.read(params, SessionNotice.Staying.class).reason(),
                                System.nanoTime());
                default ->
                        throw new LinkRefusal(LinkError.METHOD_NOT_FOUND, "no such notification");
            }
        } catch (LinkRefusal e) {
            ignored(connection, notification, e.error(), e);
        } catch (InvalidRecordException e) {
            ignored(connection, notification, LinkError.INVALID_PARAMS, e);
        }
    }

    private void asOwner(LinkPeer peer, int partition, Consumer<HostedSession> action)
            throws LinkRefusal {
        sessions.asOwner(
                peer,
                partition,
                session -> {
                    action.accept(session);
                    return true;
                });
    }

    /** A notification has no answer: one from a connection that is not attached is ignored. */
    private void ignored(
            GatewayConnection connection,
            LinkFrame.Notification notification,
            LinkError error,
            Exception why) {
        sessions.metrics().refused(error);
        log.atDebug()
                .addKeyValue("method", notification.method())
                .addKeyValue("gateway_id", connection.hasSaidHello() ? connection.gatewayId() : "")
                .addKeyValue("reason", why.getMessage())
                .log("Ignored a link notification");
    }

    private static void unexpected(GatewayConnection connection) {
        log.atDebug()
                .addKeyValue("gateway_id", connection.hasSaidHello() ? connection.gatewayId() : "")
                .log("Ignored an unsolicited response");
    }

    private void refuse(
            GatewayConnection connection, @Nullable Long id, LinkError error, String message) {
        sessions.metrics().refused(error);
        connection.refuse(id, error, message);
    }
}
