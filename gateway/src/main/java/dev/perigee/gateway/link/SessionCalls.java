package dev.perigee.gateway.link;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of a session. A call registers under the lock and, while a connection is attached, goes
 * into its writer under the same lock, so the order of the calls is the order on the wire. Any
 * thread may call; the lock is never held while somebody waits.
 */
final class SessionCalls {
    private static final Logger LOG = LoggerFactory.getLogger(SessionCalls.class);

    private final AtomicLong ids;
    private final Consumer<SessionEnd> onSessionEnd;
    private final LinkMeters meters;
    private final ReentrantLock lock = new ReentrantLock();
    private final CallsInFlight inFlight = new CallsInFlight();
    private volatile @Nullable LinkConnection connection;
    private volatile @Nullable SessionEnd end;

    /**
     * @param onSessionEnd hears, on the reader, an error answer that ends the whole session
     */
    SessionCalls(AtomicLong ids, Consumer<SessionEnd> onSessionEnd, LinkMeters meters) {
        this.ids = ids;
        this.onSessionEnd = onSessionEnd;
        this.meters = meters;
    }

    /** The attached connection; null while there is none. */
    @Nullable LinkConnection connection() {
        return connection;
    }

    boolean isOver() {
        return end != null;
    }

    /**
     * Makes a call; it waits unsent while nothing is attached.
     *
     * @param executeOrigin of a {@code tool/execute}; null for what is simply sent again
     */
    LinkCall post(String method, Object order, @Nullable RecordOrigin executeOrigin, Deadline until)
            throws LinkException, InterruptedException {
        return post(method, order, executeOrigin, until, () -> {});
    }

    /**
     * The same.
     *
     * @param onEnd runs once when it has ended and can be taken out
     */
    LinkCall post(
            String method,
            Object order,
            @Nullable RecordOrigin executeOrigin,
            Deadline until,
            Runnable onEnd)
            throws LinkException, InterruptedException {
        var call = call(method, order, executeOrigin, onEnd);
        var via = connection;
        var reserved = 0;
        try {
            byte[] frame = null;
            if (via != null) {
                // Room comes first: many that wait for it must not hold a frame each.
                reserved = via.writer().reserve(call.frameBytes(), until.nanosLeft());
                if (reserved < 0) {
                    throw failure(Reason.DEADLINE, false, "The link was busy until the deadline");
                }
                frame = call.encode();
            }
            requireFits(frame == null ? call.frameBytes() : frame.length);
            if (register(call, via, frame, Math.max(0, reserved))) {
                reserved = 0;
            }
        } finally {
            if (via != null && reserved > 0) {
                via.writer().release(reserved);
            }
        }
        return call;
    }

    private static void requireFits(int frameBytes) throws LinkException {
        if (frameBytes > LinkFrame.MAX_BYTES) {
            throw failure(Reason.TOO_LARGE, false, "The order is larger than a frame of 16 MiB");
        }
    }

    /**
     * Sends it on the connection that there is now, if any.
     *
     * @return whether its reservation is used
     */
    private boolean register(
            LinkCall call, @Nullable LinkConnection via, byte @Nullable [] frame, int reserved)
            throws LinkException {
        lock.lock();
        try {
            var over = end;
            if (over != null) {
                throw over.toException(false);
            }
            inFlight.add(call);
            meters.callBegan();
            var now = connection;
            if (now == null) {
                return false;
            }
            if (now == via && frame != null) {
                now.send(call, frame, reserved);
                return true;
            }
            now.sendAgain(call);
            now.flush();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes a call of a tool request, if it can be sent at once, to be sent by {@link #flush};
     * never waits.
     *
     * @param onEnd runs once when it has ended and can be taken out
     * @return null when nothing is attached, the buffer is full, the frame too large or the session
     *     over
     */
    @Nullable LinkCall offer(ToolOrder.Execute order, Runnable onEnd) {
        var via = connection;
        if (via == null) {
            return null;
        }
        var call = call(LinkMethod.EXECUTE, order, order.origin(), onEnd);
        var frame = call.encode();
        var reserved = frame.length > LinkFrame.MAX_BYTES ? -1 : via.writer().reserve(frame.length);
        if (reserved < 0) {
            return null;
        }
        lock.lock();
        try {
            if (connection != via) {
                via.writer().release(reserved);
                return null;
            }
            inFlight.add(call);
            meters.callBegan();
            via.put(call, frame, reserved);
            return call;
        } finally {
            lock.unlock();
        }
    }

    /** Sends what was offered; without a connection the next attach does. */
    void flush() {
        var via = connection;
        if (via != null) {
            via.flush();
        }
    }

    private LinkCall call(
            String method, Object order, @Nullable RecordOrigin executeOrigin, Runnable onEnd) {
        return new LinkCall(
                ids.incrementAndGet(), method, order, executeOrigin, this::refused, onEnd);
    }

    /** Waits for the end of a call and takes it out. */
    <T> T await(LinkCall call, Deadline until, Function<RawJson, T> reader)
            throws LinkException, InterruptedException {
        try {
            var _ = call.await(until.nanosLeft());
        } catch (InterruptedException e) {
            over(call, false);
            throw e;
        }
        return take(call, reader);
    }

    /** Takes a call out, also one that has not ended, without waiting. */
    <T> T take(LinkCall call, Function<RawJson, T> reader) throws LinkException {
        var answered = false;
        try {
            if (!call.hasEnded()) {
                throw failure(
                        Reason.DEADLINE,
                        call.wasSent(),
                        "The worker did not answer before the deadline");
            }
            var json = call.answer();
            answered = true;
            return reader.apply(json);
        } catch (InvalidRecordException e) {
            LOG.atError()
                    .addKeyValue("method", call.method())
                    .addKeyValue("reason", e.getMessage())
                    .log("Malformed response of a worker");
            throw failure(Reason.REJECTED, true, "The worker's answer was not understood");
        } finally {
            over(call, answered);
        }
    }

    private void over(LinkCall call, boolean answered) {
        forget(call);
        meters.callEnded(call.method(), answered, call.ageNanos());
    }

    /**
     * Resolves what waits by an attach answer and sends the rest again, in order; on the reader.
     *
     * @return false when the session or the connection is over
     */
    boolean attached(LinkConnection via, Attach.Result result) {
        lock.lock();
        try {
            if (end != null || via.isClosed()) {
                return false;
            }
            var waiting = inFlight.size();
            var again = inFlight.resume(result);
            meters.callsResolved.increment((double) waiting - again.size());
            meters.callsGone(waiting - again.size());
            for (var call : again) {
                if (call.wasSent()) {
                    meters.callsResent.increment();
                }
                via.sendAgain(call);
            }
            via.flush();
            connection = via;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Keeps further calls back; what was sent waits for the next attach. */
    void suspended(LinkConnection closed) {
        lock.lock();
        try {
            if (connection == closed) {
                connection = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Releases every waiter, once.
     *
     * @return false when the session had ended before
     */
    boolean end(SessionEnd how) {
        lock.lock();
        try {
            if (end != null) {
                return false;
            }
            var via = connection;
            end = how;
            connection = null;
            var left = inFlight.drain();
            meters.callsGone(left.size());
            for (var call : left) {
                if (via != null) {
                    via.forget(call.id());
                }
                call.fail(how.toException(call.wasSent()));
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void forget(LinkCall call) {
        lock.lock();
        try {
            if (inFlight.remove(call)) {
                meters.callsGone(1);
            }
            var via = connection;
            if (via != null) {
                via.forget(call.id());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * An event about a request arrived: the worker accepted it. Ends its call if that waits for the
     * acceptance, which has no effect when it comes later; on the reader.
     */
    void accepted(RecordOrigin request) {
        LinkCall call;
        lock.lock();
        try {
            call = inFlight.of(request);
            if (call == null) {
                return;
            }
            forget(call);
        } finally {
            lock.unlock();
        }
        call.result(RawJson.EMPTY_OBJECT);
    }

    /** An error answer to a call, which the worker did not accept then; on the reader. */
    private void refused(long generation, LinkCall call, LinkError error, String message) {
        var sessionEnd = SessionEnd.of(error);
        if (sessionEnd != null) {
            var via = connection;
            if (via != null && via.generation() == generation) {
                call.fail(sessionEnd.toException(false));
                onSessionEnd.accept(sessionEnd);
            }
        } else if (error == LinkError.OVERLOADED) {
            call.fail(failure(Reason.OVERLOADED, false, "The worker is overloaded: " + message));
        } else if (error == LinkError.DRAINING) {
            call.fail(failure(Reason.DRAINING, false, "The worker is leaving"));
        } else {
            LOG.atError()
                    .addKeyValue("method", call.method())
                    .addKeyValue("error", error)
                    .log("A worker refused a call: one of the two has a bug");
            var mayHaveRun = error == LinkError.INTERNAL;
            call.fail(failure(Reason.REJECTED, mayHaveRun, "The worker refused with " + error));
        }
    }

    private static LinkException failure(Reason reason, boolean mayHaveRun, String message) {
        return new LinkException(reason, null, mayHaveRun, message);
    }
}
