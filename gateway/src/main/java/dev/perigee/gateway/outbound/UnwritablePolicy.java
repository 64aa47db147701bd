package dev.perigee.gateway.outbound;

import dev.perigee.protocol.topic.Topic;

/** Policy for a topic's records while it alone cannot be written. */
enum UnwritablePolicy {
    /** They are dropped and counted. */
    COUNTED,

    /** They are kept, up to a bound, and written in their order when the topic takes them again. */
    KEPT,

    /** They block, with all that depends on them: nothing is answered or decided without them. */
    NONE;

    static UnwritablePolicy of(Topic topic) {
        return switch (topic) {
            // The console writes audit records by itself, and does nothing without them.
            case LOGS, REQUEST_LOGS, CALL_EVENTS, SERVER_EVENTS, USAGE, HEARTBEATS, AUDIT ->
                    COUNTED;
            case STATUS, TOOLS, CATALOG, LIFECYCLE, COMMAND_RESULTS, DEAD_LETTERS -> KEPT;
            case COMMANDS, TOOL_REQUESTS, TOOL_RESULTS, STATE -> NONE;
        };
    }
}
