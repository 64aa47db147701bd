package dev.perigee.worker.session;

import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers by request id, for the time in which the same id does not run again. Bounded: when the
 * kept results are too many bytes the oldest lose their content but are still known to have been
 * answered; when the ids are too many the oldest are forgotten. Pure; its owner holds a lock.
 */
final class RecentResults {

    /**
     * How much is remembered.
     *
     * @param window for how long
     * @param maxRequests how many ids
     * @param maxBytes of results
     */
    record Limits(Duration window, int maxRequests, long maxBytes) {}

    /**
     * What a request was answered.
     *
     * @param result the encoded result, null when it is not kept any more
     */
    record Answer(String processId, @Nullable RawJson result) {}

    /** There are some 10,000s of them, and each lives for minutes. */
    private static final class Remembered {
        private final String id;
        private final long untilMillis;
        private final String processId;
        private @Nullable RawJson result;

        Remembered(String id, long untilMillis, Answer answer) {
            this.id = id;
            this.untilMillis = untilMillis;
            this.processId = answer.processId();
            this.result = answer.result();
        }
    }

    private final Limits limits;
    private final Map<String, Remembered> remembered = new HashMap<>();
    private final ArrayDeque<Remembered> oldestFirst = new ArrayDeque<>();
    private final ArrayDeque<Remembered> withContent = new ArrayDeque<>();
    private long bytes;

    RecentResults(Limits limits) {
        this.limits = limits;
    }

    /** The answer that this id had within the window, null when it had none. */
    @Nullable Answer find(RequestId id, Instant now) {
        forgetOld(now);
        var found = remembered.get(id.text());
        return found == null ? null : new Answer(found.processId, found.result);
    }

    /** Remembers an answer. An id that is remembered already keeps its first one. */
    void remember(RequestId id, Answer answer, Instant now) {
        forgetOld(now);
        var until = now.plus(limits.window()).toEpochMilli();
        var added = new Remembered(id.text(), until, answer);
        if (remembered.putIfAbsent(added.id, added) != null) {
            return;
        }
        oldestFirst.add(added);
        if (answer.result() != null) {
            withContent.add(added);
            bytes += answer.result().size();
        }
        while (oldestFirst.size() > limits.maxRequests()) {
            forget(oldestFirst.remove());
        }
        while (bytes > limits.maxBytes()) {
            dropContent(withContent.remove());
        }
    }

    int size() {
        return oldestFirst.size();
    }

    long bytes() {
        return bytes;
    }

    private void forgetOld(Instant now) {
        long millis = now.toEpochMilli();
        for (var oldest = oldestFirst.peek();
                oldest != null && millis >= oldest.untilMillis;
                oldest = oldestFirst.peek()) {
            forget(oldestFirst.remove());
        }
    }

    /** The oldest one's content, where it is kept, is the oldest content. */
    private void forget(Remembered oldest) {
        if (oldest == withContent.peek()) {
            dropContent(withContent.remove());
        }
        remembered.remove(oldest.id);
    }

    private void dropContent(Remembered oldest) {
        var result = oldest.result;
        if (result != null) {
            bytes -= result.size();
            oldest.result = null;
        }
    }
}
