package dev.perigee.local.connect;

import dev.perigee.local.connect.LineReader.Line;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.tool.ToolResult;

/** News for a connection, from its client or the fleet. */
sealed interface Input {
    /** A line of the client's. */
    record Received(Line line) implements Input {}

    /** There are no more lines. */
    record Closed() implements Input {}

    /** The tools there are now. */
    record Offered(Offer offer) implements Input {}

    /** An event of a running call. */
    record Happened(EventBody event) implements Input {}

    /** A call has its answer. */
    record Answered(ToolResult answer) implements Input {}

    /** A call ended without one. */
    record Unanswered(String requestId, String code, String message) implements Input {}

    /** The topics cannot be read any more. */
    record Failed(RuntimeException why) implements Input {}
}
