package dev.perigee.gateway.partition;

import dev.perigee.protocol.tool.ToolResult;

/** Hears what happens to requests; on the owner's thread. */
interface CallListener {
    void happened(ToolCall call, CallEvent event);

    /** {@link CallEvent#REFUSED}, for this reason. */
    void refused(ToolCall call, OwnAnswer reason);

    /** {@link CallEvent#TURNED_DOWN}: it never ran, and this is the worker's answer. */
    void turnedDown(ToolCall call, ToolResult answer);
}
