package dev.perigee.worker.session;

import java.util.function.Consumer;
import org.eclipse.jetty.util.IteratingCallback;

/**
 * Writer from a queue to its socket. It has no thread: a producer calls {@link #iterate} after
 * adding to the queue, which writes unless another thread does, and Jetty continues where a write
 * had to wait. So no producer waits for a gateway that does not read.
 */
final class LinkWriter extends IteratingCallback {
    private final LinkSocket socket;
    private final OutboundQueue queue;
    private final Consumer<Throwable> onFailure;

    /**
     * @param onFailure called, on any thread and perhaps under the locks of a producer, when the
     *     connection is broken
     */
    LinkWriter(LinkSocket socket, OutboundQueue queue, Consumer<Throwable> onFailure) {
        this.socket = socket;
        this.queue = queue;
        this.onFailure = onFailure;
    }

    @Override
    protected Action process() {
        var batch = queue.next();
        if (batch.isEmpty()) {
            return queue.isOver() ? Action.SUCCEEDED : Action.IDLE;
        }
        socket.write(batch, this);
        return Action.SCHEDULED;
    }

    @Override
    protected void onCompleteSuccess() {
        socket.goodbye();
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
        onFailure.accept(cause);
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }
}
