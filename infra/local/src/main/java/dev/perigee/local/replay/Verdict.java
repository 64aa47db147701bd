package dev.perigee.local.replay;

import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;

/** Decision on a record of the source. */
sealed interface Verdict {
    /**
     * To be copied.
     *
     * @param what its kind, such as {@code configure mcp_redeploy} or {@code tools/call}
     * @param id of the command or request
     */
    record Selected(Topic topic, String what, String id, RecordKey key) implements Verdict {}

    /** Not asked for. */
    record NotWanted() implements Verdict {}

    /** Asked for, and not to be copied. */
    record Refused(Refusal reason) implements Verdict {}
}
