package dev.perigee.gateway.partition;

import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.Attach;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of statuses for instances of an abandoned host: not online, and online again when it is
 * found alive. For the owner's thread; in one order with the events of workers.
 */
final class OwnStatuses {
    private static final Logger LOG = LoggerFactory.getLogger(OwnStatuses.class);

    private final PartitionContext context;

    OwnStatuses(PartitionContext context) {
        this.context = context;
    }

    /**
     * The host is abandoned. Idempotent.
     *
     * @param epoch of the claim under which that is known
     */
    void lost(String workerId, long epoch) throws InterruptedException {
        int count = 0;
        for (var instance : List.copyOf(context.state().instances())) {
            var own = OwnStatus.lost(context.state().runtime(instance.processId()));
            if (own != null) {
                tell(instance, own, workerId, epoch, "lost");
                count++;
            }
        }
        if (count > 0) {
            LOG.atInfo()
                    .addKeyValue("partition", context.partition())
                    .addKeyValue("worker_id", workerId)
                    .addKeyValue("instances", count)
                    .log("Worker given up; its instances are not online");
        }
    }

    /** The session is attached: of what the worker has some was taken for lost. */
    void found(Session session, Attach.Result result) throws InterruptedException {
        for (var process : result.processes()) {
            var instance = context.state().instance(process.processId());
            if (instance != null && process.status() == ServerStatus.ONLINE) {
                var own = OwnStatus.found(context.state().runtime(process.processId()));
                if (own != null) {
                    var link = session.link();
                    tell(instance, own, link.workerId(), link.claim().epoch(), "found");
                }
            }
        }
    }

    private void tell(
            DesiredInstance instance, OwnStatus own, String workerId, long epoch, String what)
            throws InterruptedException {
        var config = instance.config();
        var origin =
                new EventOrigin(
                        instance.processId(),
                        null,
                        config.installationId(),
                        config.installationName(),
                        config.serverSlug(),
                        config.teamId(),
                        config.userId(),
                        workerId,
                        0,
                        context.services().clock().instant());
        var records = context.services().records();
        context.state().remember(instance.processId(), own.durable());
        context.writer()
                .writeSoon(
                        List.of(
                                records.status(
                                        context.partition(), epoch, what, origin, own.event()),
                                context.stateTopic().runtime(instance.processId(), own.durable())),
                        _ -> {},
                        () -> {},
                        () ->
                                LOG.atError()
                                        .addKeyValue("process_id", instance.processId())
                                        .log("Status too large for its topic; dropped"));
    }
}
