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

    private record Remembered(RequestId id, Instant until) {}

    private final Limits limits;
    private final Map<RequestId, Answer> answers = new HashMap<>();
    private final ArrayDeque<Remembered> ids = new ArrayDeque<>();
    private final ArrayDeque<RequestId> withContent = new ArrayDeque<>();
    private long bytes;

    RecentResults(Limits limits) {
        this.limits = limits;
    }

    /** The answer that this id had within the window, null when it had none. */
    @Nullable Answer find(RequestId id, Instant now) {
        forgetOld(now);
        return answers.get(id);
    }

    /** Remembers an answer. An id that is remembered already keeps its first one. */
    void remember(RequestId id, Answer answer, Instant now) {
        forgetOld(now);
        if (answers.putIfAbsent(id, answer) != null) {
            return;
        }
        ids.add(new Remembered(id, now.plus(limits.window())));
        if (answer.result() != null) {
            withContent.add(id);
            bytes += answer.result().size();
        }
        while (ids.size() > limits.maxRequests()) {
            forget(ids.remove().id());
        }
        while (bytes > limits.maxBytes()) {
            dropContent(withContent.remove());
        }
    }

    int size() {
        return ids.size();
    }

    long bytes() {
        return bytes;
    }

    private void forgetOld(Instant now) {
        for (var oldest = ids.peek();
                oldest != null && !now.isBefore(oldest.until());
                oldest = ids.peek()) {
            ids.remove();
            forget(oldest.id());
        }
    }

    /** The oldest id's content, where it is kept, is the oldest content. */
    private void forget(RequestId id) {
        if (id.equals(withContent.peek())) {
            dropContent(withContent.remove());
        }
        answers.remove(id);
    }

    private void dropContent(RequestId id) {
        var answer = answers.get(id);
        if (answer != null && answer.result() != null) {
            bytes -= answer.result().size();
            answers.put(id, new Answer(answer.processId(), null));
        }
    }
}
