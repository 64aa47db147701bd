package dev.perigee.worker.session;

import java.util.function.Consumer;
import org.eclipse.jetty.util.IteratingCallback;

/**
 * Writes what waits in a queue to its socket. It has no thread: whoever has put something into the
 * queue calls {@link #iterate}, which writes while nobody else does, and Jetty goes on where a
 * write had to wait. So nobody waits for a gateway that does not read.
 */
final class LinkWriter extends IteratingCallback {
    private final LinkSocket socket;
    private final OutboundQueue queue;
    private final Consumer<Throwable> onFailure;

    /**
     * @param onFailure is told, on any thread and perhaps under the locks of whoever wrote, that
     *     the connection is broken
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
