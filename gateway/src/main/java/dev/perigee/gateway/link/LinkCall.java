package dev.perigee.gateway.link;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call of a session, from the moment it is made to its one end, across connections; the first
 * end counts. Encoded again when it is sent again, so that a waiting call holds no frame. The
 * waiter reads its result; the connection's reader only hands it over.
 */
final class LinkCall implements AnswerHandler {
    /** Decides what an error answer means; called on the reader. */
    interface RefusalHandler {
        void refused(long generation, LinkCall call, LinkError error, String message);
    }

    private static final int BESIDES_ARGUMENTS = 1 << 10;

    private final long id;
    private final String method;
    private final Object order;
    private final @Nullable RecordOrigin executeOrigin;
    private final RefusalHandler onRefusal;
    private final Runnable onEnd;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final long madeAt = System.nanoTime();
    private volatile boolean sent;
    private volatile @Nullable RawJson result;
    private volatile @Nullable LinkException failure;

    /**
     * @param executeOrigin of a {@code tool/execute}, by which an attach answer resolves it; null
     *     for what is simply sent again
     * @param onRefusal hears an error answer before the waiter does, on the reader
     * @param onEnd runs when it has ended, on any thread and perhaps under the session's lock
     */
    LinkCall(
            long id,
            String method,
            Object order,
            @Nullable RecordOrigin executeOrigin,
            RefusalHandler onRefusal,
            Runnable onEnd) {
        this.id = id;
        this.method = method;
        this.order = order;
        this.executeOrigin = executeOrigin;
        this.onRefusal = onRefusal;
        this.onEnd = onEnd;
    }

    long id() {
        return id;
    }

    String method() {
        return method;
    }

    @Nullable RecordOrigin executeOrigin() {
        return executeOrigin;
    }

    long ageNanos() {
        return System.nanoTime() - madeAt;
    }

    boolean wasSent() {
        return sent;
    }

    void markSent() {
        sent = true;
    }

    /** About what {@link #encode} gives; for what is large it does not need to be encoded first. */
    int frameBytes() {
        if (order instanceof ToolOrder.Execute execute) {
            var resume = execute.resume();
            return BESIDES_ARGUMENTS
                    + execute.request().payloadBytes()
                    + (resume == null ? 0 : resume.size());
        }
        return encode().length;
    }

    byte[] encode() {
        var plain =
                order instanceof ToolOrder.Execute execute
                        ? PlainOrders.message(id, execute)
                        : null;
        return plain == null ? new LinkFrame.Request(id, method, Json.raw(order)).encode() : plain;
    }

    @Override
    public void result(RawJson json) {
        if (!hasEnded()) {
            result = json;
            end();
        }
    }

    @Override
    public void failure(long generation, int code, String message) {
        var error = LinkError.of(code);
        onRefusal.refused(generation, this, error == null ? LinkError.INTERNAL : error, message);
    }

    /** Ends the call without an answer. */
    void fail(LinkException why) {
        if (!hasEnded()) {
            failure = why;
            end();
        }
    }

    private void end() {
        ended.countDown();
        onEnd.run();
    }

    boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Waits for the end; false when it did not come in time. */
    boolean await(long nanos) throws InterruptedException {
        return ended.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** The answer of a call that ended. */
    RawJson answer() throws LinkException {
        var json = result;
        if (json != null) {
            return json;
        }
        var why = failure;
        if (why == null) {
            throw new IllegalStateException("The call has not ended");
        }
        throw why;
    }
}
