package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkException;
import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.link.Attach.AttachedProcess;
import dev.perigee.protocol.link.RememberedStatus;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a session the instances that it does not have as they are wanted. One that cannot be given
 * costs itself, not the partition; what the worker has no room for now is given again. For the
 * owner's thread.
 */
final class Restoration {
    private static final Logger LOG = LoggerFactory.getLogger(Restoration.class);
    private static final Duration ROOM_WAIT = Duration.ofSeconds(1);

    private final PartitionContext context;
    private final Quarantine quarantine;
    private final Runnable restored;

    /**
     * @param restored runs when an instance is there of which the session may not have known
     */
    Restoration(PartitionContext context, Quarantine quarantine, Runnable restored) {
        this.context = context;
        this.quarantine = quarantine;
        this.restored = restored;
    }

    /** Sends what is missing; false when the session is over. */
    boolean begin(Session session, List<AttachedProcess> attached) {
        for (var instance : Reconciliation.missing(context.state(), attached)) {
            if (!send(session, instance)) {
                return false;
            }
        }
        return true;
    }

    private boolean send(Session session, DesiredInstance instance) {
        var heldBack = quarantine.of(instance);
        var remembered = context.state().runtime(instance.processId());
        if (heldBack == null
                && !instance.isStopped()
                && !RememberedStatus.isAsleep(
                        remembered, ConfigFingerprint.of(instance.config()))) {
            session.awake()
                    .given(instance.processId(), false, context.services().clock().instant());
        }
        var order = OrderPayload.restore(context.partition(), instance, remembered, heldBack);
        var deadline =
                context.services().clock().instant().plus(context.services().times().command());
        session.restoring().add(instance.processId());
        try {
            var pending = session.link().submit(order.method(), order.order(), deadline);
            Thread.ofVirtual()
                    .name("restore")
                    .start(
                            () -> {
                                try {
                                    var _ = pending.await();
                                    context.mailbox().post(() -> restored(session, instance));
                                } catch (LinkException e) {
                                    context.mailbox().post(() -> failed(session, instance, e));
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            });
            return true;
        } catch (LinkException e) {
            return failed(session, instance, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** False when that was the end of the session, of which its listener hears. */
    private boolean failed(Session session, DesiredInstance instance, LinkException failure) {
        return switch (failure.reason()) {
            case FENCED, LOST, DETACHED, DRAINING -> false;
            case OVERLOADED -> {
                context.timers().after(ROOM_WAIT, () -> again(session, instance));
                yield true;
            }
            case DEADLINE, TOO_LARGE, REJECTED -> {
                LOG.atError()
                        .addKeyValue("process_id", instance.processId())
                        .addKeyValue("reason", failure.reason())
                        .log("Failed to restore an instance");
                ended(session, instance);
                yield true;
            }
        };
    }

    private void restored(Session session, DesiredInstance instance) {
        var wanted = context.state().instance(instance.processId());
        if (instance.isStopped() && wanted != null && wanted.isStopped()) {
            session.awake().asleep(instance.processId());
        }
        ended(session, instance);
    }

    private void ended(Session session, DesiredInstance instance) {
        session.restoring().remove(instance.processId());
        if (session.equals(context.serving())) {
            restored.run();
        }
    }

    /** As it is wanted by now; a newer configuration came with its own order. */
    private void again(Session session, DesiredInstance instance) {
        var wanted = context.state().instance(instance.processId());
        if (session.equals(context.serving())
                && wanted != null
                && wanted.startToken() == instance.startToken()) {
            var _ = send(session, wanted);
        } else {
            ended(session, instance);
        }
    }
}
