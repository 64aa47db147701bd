package dev.perigee.gateway.partition;

import dev.perigee.protocol.limit.TokenBucket;
import dev.perigee.protocol.topic.NumberMap;
import java.time.Instant;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One user's open requests in a partition: those that wait for something else than their turn are
 * only counted, the ready ones are in the order of their records, the sent ones are the worker's.
 */
final class UserShare {
    private final Set<ToolCall> open = new HashSet<>();
    private final NumberMap<ToolCall> ready = new NumberMap<>();
    private final Set<ToolCall> sent = new HashSet<>();
    private final @Nullable TokenBucket bucket;
    private long openBytes;
    private Instant paidAt = Instant.EPOCH;
    private boolean enrolled;

    /**
     * @param bucket null when the user may send as often as it likes
     */
    UserShare(@Nullable TokenBucket bucket) {
        this.bucket = bucket;
    }

    void open(ToolCall call) {
        if (open.add(call)) {
            openBytes += call.bytes();
        }
    }

    boolean has(ToolCall call) {
        return open.contains(call);
    }

    void ready(ToolCall call) {
        sent.remove(call);
        ready.put(call.offset(), call);
    }

    void aside(ToolCall call) {
        sent.remove(call);
        var _ = ready.remove(call.offset());
    }

    void sent(ToolCall call) {
        var _ = ready.remove(call.offset());
        sent.add(call);
    }

    void ended(ToolCall call) {
        if (open.remove(call)) {
            openBytes -= call.bytes();
        }
        aside(call);
    }

    /** The next one in the order of the records; only when {@link #hasReady}. */
    ToolCall first() {
        return Objects.requireNonNull(ready.first());
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    int openCount() {
        return open.size();
    }

    long openBytes() {
        return openBytes;
    }

    int sentCount() {
        return sent.size();
    }

    /** Takes what the rate asks for one more; false when that is still to come. */
    boolean pay(Instant now) {
        if (bucket == null || bucket.take(now)) {
            return true;
        }
        paidAt = bucket.when(1, now);
        return false;
    }

    /** When {@link #pay} can succeed after it failed. */
    Instant paidAt() {
        return paidAt;
    }

    /** Before this a request that comes now is not sent, by the rate alone. */
    Instant earliest(Instant now) {
        return bucket == null ? now : bucket.when(open.size() - sent.size() + 1, now);
    }

    /** True when a new share would be the same. */
    boolean isAsNew(Instant now) {
        return open.isEmpty() && (bucket == null || bucket.isFull(now));
    }

    /** Whether it has, or waits for, a turn. */
    boolean isEnrolled() {
        return enrolled;
    }

    void enrolled(boolean is) {
        enrolled = is;
    }
}
