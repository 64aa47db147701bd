package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.EarlierRuns;
import dev.perigee.protocol.limit.RecentIds;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.topic.NumberMap;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one partition: open, answered, accepted by a worker, and possibly run under an
 * earlier owner. So a record that is read again, an id that is used again and a result that comes
 * again are each recognized. Pure, for one thread.
 */
final class RequestTable {
    /** What a request that was read is. */
    enum Arrival {
        /** It is new, and no worker has it. */
        NEW,
        /** It is new, and there is no room to remember its id. */
        NO_ROOM,
        /** The attached session has it. */
        HELD,
        /** An earlier owner may have sent it, and no session is attached to say so. */
        IN_DOUBT,
        /** It cancels another. */
        CANCEL,
        /** It has its answer. */
        ANSWERED,
        /** A worker gave its answer before it was read, which is not durable yet. */
        ANSWERING,
        /** Another record has its id, and is open or was answered a while ago. */
        REPEATED
    }

    private final NumberMap<ToolCall> open = new NumberMap<>();
    private final Map<String, ToolCall> byKey = new HashMap<>();
    private final AnsweredRequests answered = new AnsweredRequests();
    private final AcceptedRequests accepted = new AcceptedRequests();
    private final RecentIds recent;
    private EarlierRuns earlier = EarlierRuns.none();

    /** Remembers ids in the room there is. */
    RequestTable(RecentIds recent) {
        this.recent = recent;
    }

    /** Progress of the previous owner, by the committed offset's metadata; before any request. */
    void continuing(EarlierRuns earlierRuns) {
        earlier = earlierRuns;
        answered.continuing(earlierRuns);
    }

    /** True when an earlier owner answered a request that is read again. */
    boolean isDone(long offset) {
        return earlier.isDone(offset);
    }

    /** Takes in what was read; what is new, held or in doubt is open from now on. */
    Arrival arrived(ToolCall call, Instant now) {
        boolean cancel = call.read().method() == ToolMethod.CANCEL;
        var progress = accepted.take(call.read().origin());
        if (answered.isReadAfter(call.offset()) || progress == Attach.Progress.ACKED) {
            if (!cancel) {
                boolean _ = recent.reserve();
                recent.remember(call.key(), now);
            }
            return answered.isUnderWay(call.offset()) ? Arrival.ANSWERING : Arrival.ANSWERED;
        }
        if (cancel) {
            return Arrival.CANCEL;
        }
        if (progress == null && isRepeated(call, now)) {
            return Arrival.REPEATED;
        }
        open.put(call.offset(), call);
        byKey.put(call.key(), call);
        boolean hasRoom = recent.reserve();
        if (progress == null && earlier.isInDoubt(call.offset())) {
            return Arrival.IN_DOUBT;
        }
        call.ranBefore(earlier.lostRuns(call.offset()));
        if (progress != null) {
            return Arrival.HELD;
        }
        return hasRoom ? Arrival.NEW : Arrival.NO_ROOM;
    }

    /** One that ran was no repeat, whatever another of its id came to, such as overloaded. */
    private boolean isRepeated(ToolCall call, Instant now) {
        return byKey.containsKey(call.key())
                || (!accepted.wasOpen(call.offset()) && recent.contains(call.key(), now));
    }

    /** The open requests, in the order of their records. */
    List<ToolCall> open() {
        return open.values();
    }

    /** Null when the request is not open. */
    @Nullable ToolCall open(long offset) {
        return open.get(offset);
    }

    /** Null when no request of that identity is without a durable answer. */
    @Nullable ToolCall of(String key) {
        return byKey.get(key);
    }

    /**
     * A session is attached, which tells what it accepted of the topic of requests. To be followed
     * by {@link #whenAttached} for each that is open.
     *
     * @return whether it is the session that was attached before
     */
    boolean attached(Attach.Result result, String topic) {
        boolean same = accepted.attached(result, topic);
        earlier.attached(result.createdEpoch());
        return same;
    }

    /** What an attach means to an open request. */
    CallEvent whenAttached(ToolCall call, boolean same) {
        var progress = accepted.take(call.read().origin());
        if (progress == Attach.Progress.ACKED) {
            return CallEvent.ATTACHED_AFTER;
        }
        if (call.stage() == CallStage.UNSURE && !call.isResolved()) {
            call.ranBefore(earlier.lostRuns(call.offset()));
        }
        if (progress != null) {
            return CallEvent.ATTACHED_WITH;
        }
        return same ? CallEvent.ATTACHED_SAME_WITHOUT : CallEvent.ATTACHED_OTHER_WITHOUT;
    }

    /** No session is attached any more. */
    void detached() {
        earlier.detached();
        accepted.detached();
    }

    /** True when a result must not be published: the request has its answer. */
    boolean isFinal(long offset) {
        return answered.isFinal(offset);
    }

    /** A worker gave the answer before the record was read, and the record will be read. */
    void answeredBeforeRead(long offset) {
        answered.beforeRead(offset);
    }

    /** Such an answer is durable. */
    void durableBeforeRead(long offset) {
        answered.durableBeforeRead(offset);
    }

    /** An open request has an answer, of the gateway or of a worker. */
    void closed(ToolCall call, boolean byGateway) {
        var _ = open.remove(call.offset());
        if (byGateway) {
            answered.byGateway(call.offset());
        }
    }

    /**
     * The answer of a closed request is durable.
     *
     * @param mayRepeat its author is to send the id again
     */
    void settled(ToolCall call, boolean mayRepeat, Instant now) {
        byKey.remove(call.key());
        if (mayRepeat) {
            recent.release();
        } else {
            recent.remember(call.key(), now);
        }
    }

    /** It could not be handled: its record is rejected, and nothing is known of it any more. */
    void dropped(ToolCall call) {
        if (call.equals(open.get(call.offset()))) {
            var _ = open.remove(call.offset());
            byKey.remove(call.key(), call);
            recent.release();
            call.letGo();
        }
    }

    /** The group committed this offset: no request below is read again. */
    void committed(long offset) {
        answered.committed(offset);
        accepted.committed(offset);
    }

    /** Gives the memory back of ids whose window is over. */
    void forget(Instant now) {
        recent.forget(now);
    }

    /** The tenure is over: memory is free for other partitions. */
    void close() {
        recent.close();
        open.values().forEach(ToolCall::letGo);
    }
}
