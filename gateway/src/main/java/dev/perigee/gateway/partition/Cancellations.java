package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Cancellations of one partition's requests, from their record to their end. What a worker has is
 * cancelled there; that the worker said so is kept, since it may be lost before it gives the
 * result. For the owner's thread.
 */
final class Cancellations {
    private static final Duration AGAIN = Duration.ofMillis(250);

    private final PartitionContext context;
    private final RequestTable requests;
    private final CallSender sender;
    private final CallListener listener;

    Cancellations(
            PartitionContext context,
            RequestTable requests,
            CallSender sender,
            CallListener listener) {
        this.context = context;
        this.requests = requests;
        this.sender = sender;
        this.listener = listener;
    }

    /** One was read, of the request of this key. */
    void arrived(RequestRead read, String key) {
        var call = requests.of(key);
        if (call == null || call.offset() > read.origin().offset()) {
            // It is over, for this gateway at least; one that is read later is another.
            Runnable done = () -> done(read);
            sender.cancel(read, done, done);
        } else if (call.stage().isWaiting()) {
            listener.happened(call, CallEvent.CANCELLED);
            done(read);
        } else {
            var asked = context.serving();
            sender.cancel(read, () -> taken(read, call, asked), () -> later(read, key));
        }
    }

    /** Another session may have the request by now, which is to be told as well. */
    private void taken(RequestRead read, ToolCall call, @Nullable Session asked) {
        call.cancelled();
        if (call.hasEnded() || (context.serving() == asked && !call.stage().isWaiting())) {
            done(read);
        } else {
            arrived(read, call.key());
        }
    }

    /** The worker of a running call may be reached again before the cancellation's deadline. */
    private void later(RequestRead read, String key) {
        if (read.deadline().isAfter(context.services().clock().instant())) {
            var _ = context.timers().after(AGAIN, () -> arrived(read, key));
        } else {
            done(read);
        }
    }

    private void done(RequestRead read) {
        context.feed().done(Topic.TOOL_REQUESTS, read.origin().offset());
    }
}
