package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkException;
import dev.perigee.gateway.quarantine.Suspicion;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Release of an instance from quarantine after its workers proved alive: first its start, then the
 * record of it, so that the next owner repeats what is not recorded. For the owner's thread.
 */
final class QuarantineRelease {
    private static final Logger LOG = LoggerFactory.getLogger(QuarantineRelease.class);
    private static final Duration LIMIT = Duration.ofMinutes(15);

    private final PartitionContext context;
    private final BiConsumer<String, Suspicion> released;
    private final Map<String, Suspicion> underWay = new HashMap<>();

    /**
     * @param released called when an instance runs, with its suspicion from then on
     */
    QuarantineRelease(PartitionContext context, BiConsumer<String, Suspicion> released) {
        this.context = context;
        this.released = released;
    }

    /** Whether this instance is being released, and may run. */
    boolean isOf(String processId) {
        return underWay.containsKey(processId);
    }

    /** A command supersedes the release; its suspicion, null when none was under way. */
    @Nullable Suspicion interrupt(String processId) {
        return underWay.remove(processId);
    }

    /** The session is over. */
    void over() {
        underWay.clear();
    }

    void begin(Session session, DesiredInstance instance, Suspicion next) {
        var processId = instance.processId();
        underWay.put(processId, next);
        var order =
                OrderPayload.restore(
                        context.partition(), instance, context.state().runtime(processId), null);
        var now = context.services().clock().instant();
        try {
            session.awake().given(processId, false, now);
            var pending = session.link().submit(order.method(), order.order(), now.plus(LIMIT));
            Thread.ofVirtual()
                    .name("release-" + context.partition())
                    .start(
                            () -> {
                                try {
                                    var _ = pending.await();
                                    context.mailbox().post(() -> ended(session, processId, next));
                                } catch (LinkException e) {
                                    LOG.atDebug()
                                            .setCause(e)
                                            .log("Release failed; the next owner repeats it");
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            });
        } catch (LinkException e) {
            LOG.atDebug().setCause(e).log("Release failed; the next owner repeats it");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ended(Session session, String processId, Suspicion next) {
        if (session.equals(context.session()) && underWay.remove(processId, next)) {
            released.accept(processId, next);
        }
    }
}
