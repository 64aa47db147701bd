package dev.perigee.worker.session;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.instance.PartitionInstances;
import dev.perigee.worker.instance.PendingOutcome;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Orders of instances: submitted on the connection's reader, so in the order in which they were
 * sent, and answered by one thread in the order in which they ended, which nothing holds up.
 */
final class OrderDesk implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OrderDesk.class);

    private final SessionRegistry sessions;
    private final ExecutorService answers =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().name("orders").factory());

    OrderDesk(SessionRegistry sessions) {
        this.sessions = sessions;
    }

    /** Takes an {@code instance/} request. */
    void take(GatewayConnection connection, LinkFrame.Request request) throws LinkRefusal {
        var order = read(request.method(), request.params());
        if (!connection.beginOrder()) {
            throw new LinkRefusal(
                    LinkError.OVERLOADED, "too many orders of this connection are under way");
        }
        boolean waiting = false;
        try {
            var pending =
                    sessions.asServed(connection, order.partition(), order.submission()::apply);
            pending.whenEnded(
                    outcome ->
                            answers.execute(
                                    () -> answer(connection, request, order.partition(), outcome)));
            waiting = true;
        } finally {
            if (!waiting) {
                connection.endOrder();
            }
        }
    }

    private void answer(
            GatewayConnection connection,
            LinkFrame.Request request,
            int partition,
            Outcome outcome) {
        try {
            if (outcome.outcome() == CommandOutcome.FAILED && sessions.isDeparting(partition)) {
                // Its process was ended under it: it is repeated where the instance continues.
                connection.refuse(request.id(), LinkError.DRAINING, "the session ends");
            } else {
                connection.respond(request.id(), outcome);
            }
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("method", request.method())
                    .addKeyValue(LogContext.PARTITION, partition)
                    .setCause(e)
                    .log("An order failed");
            connection.refuse(request.id(), LinkError.INTERNAL, "failed, see the worker's log");
        } finally {
            connection.endOrder();
        }
    }

    /** Orders that end after this are not answered. */
    @Override
    public void close() {
        answers.shutdown();
    }

    private record Order(int partition, Function<HostedSession, PendingOutcome> submission) {}

    private static Order read(String method, RawJson params) throws LinkRefusal {
        return switch (method) {
            case LinkMethod.APPLY -> {
                var order = Json.read(params, InstanceOrder.Apply.class);
                yield new Order(order.partition(), session -> session.apply(method, order));
            }
            case LinkMethod.STOP -> simple(method, params, PartitionInstances::stop);
            case LinkMethod.RESTART -> simple(method, params, PartitionInstances::restart);
            case LinkMethod.REMOVE -> simple(method, params, PartitionInstances::remove);
            case LinkMethod.RECOVER -> simple(method, params, PartitionInstances::recover);
            case LinkMethod.SWITCH_TOOL -> {
                var order = Json.read(params, InstanceOrder.SwitchTool.class);
                yield order(method, order.order(), instances -> instances.switchTool(order));
            }
            case LinkMethod.HEALTH_CHECK -> {
                var order = Json.read(params, InstanceOrder.HealthCheck.class);
                yield order(method, order.order(), instances -> instances.checkHealth(order));
            }
            default ->
                    throw new LinkRefusal(LinkError.METHOD_NOT_FOUND, "no such method: " + method);
        };
    }

    private interface SimpleSubmission {
        PendingOutcome submit(PartitionInstances instances, InstanceOrder.Simple order);
    }

    private static Order simple(String method, RawJson params, SimpleSubmission submission) {
        var order = Json.read(params, InstanceOrder.Simple.class);
        return order(method, order, instances -> submission.submit(instances, order));
    }

    private static Order order(
            String method, InstanceOrder.Simple about, HostedSession.Submission submission) {
        var order = Require.present(about, "order");
        return new Order(order.partition(), session -> session.submit(method, order, submission));
    }
}
