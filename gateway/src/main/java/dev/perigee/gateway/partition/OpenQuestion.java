package dev.perigee.gateway.partition;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import java.util.HashSet;
import java.util.Set;

/**
 * Last question of a call whose server keeps nothing of it, and the responses that were sent and
 * may count. While there are none the call can go on at another worker; a response that counts
 * begins a round that may have effects, so it is never taken back. For the owner's thread.
 */
final class OpenQuestion {
    private final HeldQuestion held;
    private final RawJson resume;
    private final Set<Long> responses = new HashSet<>();

    /**
     * @param resume the same as it came
     */
    OpenQuestion(HeldQuestion held, RawJson resume) {
        this.held = held;
        this.resume = resume;
    }

    HeldQuestion held() {
        return held;
    }

    /** For the worker that the call goes on at. */
    RawJson resume() {
        return resume;
    }

    /** The response of this offset goes to the worker. */
    void sent(long response) {
        responses.add(response);
    }

    /** That response surely did not count; others may. */
    void refused(long response) {
        responses.remove(response);
    }

    /** Whether no response may have counted. */
    boolean isUnanswered() {
        return responses.isEmpty();
    }
}
